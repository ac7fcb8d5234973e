/**
 * Handlers of the methods that package {@code api} declares, one class for each family, and what turns the refusals of a family's services
 * into errors. {@link org.chainwalletd.rpc.method.MethodFamilies} lists the families; boot gives them the services they talk to.
 */
package org.chainwalletd.rpc.method;
