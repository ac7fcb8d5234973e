/** Long polls (interface.md, section 4.6): each method turns its parameters into a wait and its outcome into an answer. */
package org.chainwalletd.rpc.method.wait;
