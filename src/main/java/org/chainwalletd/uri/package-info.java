/** Payment URIs (interface.md, section 4.12): payment requests as text for links and QR codes. Pure; called by the methods of {@code rpc}. */
package org.chainwalletd.uri;
