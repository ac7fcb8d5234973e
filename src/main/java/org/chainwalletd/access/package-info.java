/** Access rights: named tokens with their policies, and the grant that accompanies a request from its header to the commit of its payment. */
package org.chainwalletd.access;
