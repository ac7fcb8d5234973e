/**
 * The methods of the interface: one annotated record for each, with its parameters as components and its result nested, and one file for each
 * family. The server binds and answers by them, the Java client calls with them, and all descriptions are made from them.
 */
package org.chainwalletd.api;
