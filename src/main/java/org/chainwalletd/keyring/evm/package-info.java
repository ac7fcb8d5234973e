/** Account-chain key: creation, storage, replacement and deletion, and the actor that signs with it. */
package org.chainwalletd.keyring.evm;
