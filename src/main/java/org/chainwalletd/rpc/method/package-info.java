/**
 * Handlers of the methods declared in package {@code api}, one class per family, and the translators of their services' refusals into errors.
 * {@link org.chainwalletd.rpc.method.MethodFamilies} lists the families; boot provides the services.
 */
package org.chainwalletd.rpc.method;
