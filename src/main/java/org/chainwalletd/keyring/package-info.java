/**
 * The keys: the Keyring actor that owns them, their origins, vault and migration. Secrets never leave this package except to be revealed or
 * exported on request.
 */
package org.chainwalletd.keyring;
