/**
 * JSON-RPC 2.0: envelope, batches, scopes, the error catalogue, and the registry of methods from which the scope table, {@code rpc.discover} and the
 * reference page are made. Methods are in {@code rpc.method.<family>}, one class each; {@code http} calls this package.
 */
package org.chainwalletd.rpc;
