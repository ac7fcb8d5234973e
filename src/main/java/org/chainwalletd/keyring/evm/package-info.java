/** The account-chain key: how it comes, is kept, replaced and deleted, and the actor that signs with it. */
package org.chainwalletd.keyring.evm;
