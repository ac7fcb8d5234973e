/**
 * Methods of the interface: one annotated record per method, with its parameters as components and its result nested, and one file per
 * family. The server binds and answers with them, the Java client calls with them, and all descriptions are generated from them.
 */
package org.chainwalletd.api;
