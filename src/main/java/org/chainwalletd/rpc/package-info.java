/**
 * JSON-RPC 2.0: envelope, batches, scopes, the error catalogue, and the registry of methods from which the scope table, {@code rpc.discover}
 * and the reference page are generated. The methods are in {@code rpc.method}, one class per family; {@code http} calls this package.
 */
package org.chainwalletd.rpc;
