/**
 * The keys: origins, sealed files, {@code state.json}, vault, migration, and the Keyring actor that owns them. Secrets never leave this
 * package except to be revealed or exported on request.
 */
package org.chainwalletd.keyring;
