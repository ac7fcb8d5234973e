/** Small programs over the typed client, to start from. */
package org.chainwalletd.client.example;
