/**
 * Keys: the Keyring actor that owns them, their origins, vault and migration. Secrets leave this package only when revealed or exported on
 * request.
 */
package org.chainwalletd.keyring;
