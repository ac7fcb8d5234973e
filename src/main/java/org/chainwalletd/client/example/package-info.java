/** Example programs that use the typed client. */
package org.chainwalletd.client.example;
