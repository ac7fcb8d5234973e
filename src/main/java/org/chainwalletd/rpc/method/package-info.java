/**
 * The methods of the interface, one package for each family and one class for each method. {@link
 * org.chainwalletd.rpc.method.MethodFamilies} lists the families; boot gives them the services they talk to.
 */
package org.chainwalletd.rpc.method;
