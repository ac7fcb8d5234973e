package org.chainwalletd.api;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.Title;

/**
 * Methods for the account-chain key, and methods that query the account chain or send on it (interface.md, section 4.13; swap.md, section 4).
 * Addresses are text: 0x and 40 hex characters with the EIP-55 checksum.
 */
public final class EvmAccount {
    private EvmAccount() {}

    @Method(
            name = "evm_get_address",
            scope = Scope.READ,
            summary =
                    "The address of the account-chain key; null while there is none. On a seeded keyring without a key of its own, the one of the seed.",
            errors = ErrorCode.KEYSTORE_LOCKED)
    public record EvmGetAddress() implements Call<EvmGetAddress.Result> {
        public record Result(
                @OrNull Optional<String> address,
                @Doc("whether there is a key") boolean created) {}
    }

    @Method(
            name = "evm_create_address",
            scope = Scope.MANAGE,
            summary =
                    "Makes the account-chain key of 24 new words. With force it takes the place of another one, which is kept, sealed, unless a swap is open.",
            errors = {ErrorCode.WALLET_EXISTS, ErrorCode.KEYSTORE_LOCKED})
    public record EvmCreateAddress(
            @Doc("replace an existing key, whatever it holds; default false")
            Optional<Boolean> force) implements Call<EvmCreateAddress.Result> {
        /** Creates a call that does not replace a key. */
        public EvmCreateAddress() {
            this(Optional.empty());
        }

        public EvmCreateAddress(boolean force) {
            this(Optional.of(force));
        }

        public record Result(String address, List<SecretBytes> mnemonic) {}
    }

    /** Result of both imports. */
    @Title("EvmImportedKey")
    public record Imported(String address) {}

    @Method(
            name = "evm_import_mnemonic",
            scope = Scope.MANAGE,
            summary =
                    "Takes the account-chain key from 12 or 24 words, at m/44'/60'/0'/0/0. With overwrite it takes the place of another one, which is kept, sealed; refused while that holds a balance, or may, or a swap is open.",
            errors = {ErrorCode.WALLET_EXISTS, ErrorCode.KEYSTORE_LOCKED})
    public record EvmImportMnemonic(
            @Doc("12 or 24 English BIP-39 words") SecretBytes mnemonic,

            @Doc("replace an existing key; default false") Optional<Boolean> overwrite)
            implements Call<Imported> {
        /** Creates a call that does not replace a key. */
        public EvmImportMnemonic(SecretBytes mnemonic) {
            this(mnemonic, Optional.empty());
        }

        public EvmImportMnemonic(SecretBytes mnemonic, boolean overwrite) {
            this(mnemonic, Optional.of(overwrite));
        }
    }

    @Method(
            name = "evm_import_key",
            scope = Scope.MANAGE,
            summary =
                    "Takes a raw secp256k1 secret as the account-chain key; the caller keeps the backup. With overwrite it takes the place of another one, which is kept, sealed; refused while that holds a balance, or may, or a swap is open.",
            errors = {ErrorCode.WALLET_EXISTS, ErrorCode.KEYSTORE_LOCKED})
    public record EvmImportKey(
            @Doc("64 hex characters, a secp256k1 secret") SecretBytes privateKeyHex,

            @Doc("replace an existing key; default false") Optional<Boolean> overwrite)
            implements Call<Imported> {
        /** Creates a call that does not replace a key. */
        public EvmImportKey(SecretBytes privateKeyHex) {
            this(privateKeyHex, Optional.empty());
        }

        public EvmImportKey(SecretBytes privateKeyHex, boolean overwrite) {
            this(privateKeyHex, Optional.of(overwrite));
        }
    }

    @Method(
            name = "evm_reveal_mnemonic",
            scope = Scope.SPEND,
            summary = "Reveals the words of the account-chain key; those of the seed where the seed gives the key.",
            errors = {ErrorCode.KEYSTORE_LOCKED, ErrorCode.NO_EVM_KEY})
    public record EvmRevealMnemonic(
            @Doc("passphrase of the keystore") SecretBytes passphrase) implements Call<EvmRevealMnemonic.Result> {
        public record Result(List<SecretBytes> mnemonic) {}
    }

    @Method(
            name = "reveal_evm_private_key",
            scope = Scope.SPEND,
            summary = "Reveals the secret of the account-chain key.",
            errors = {ErrorCode.KEYSTORE_LOCKED, ErrorCode.NO_EVM_KEY})
    public record RevealEvmPrivateKey(
            @Doc("passphrase of the keystore") SecretBytes passphrase) implements Call<RevealEvmPrivateKey.Result> {
        public record Result(String address, SecretBytes privateKeyHex) {}
    }

    @Method(
            name = "evm_delete_key",
            scope = Scope.SPEND,
            summary =
                    "Deletes the account-chain key for good. Refused while it holds a balance, or its balance is unknown, or a swap is open, unless force is true. Replaced keys stay.",
            errors = {ErrorCode.KEYSTORE_LOCKED, ErrorCode.NO_EVM_KEY},
            background = true)
    public record EvmDeleteKey(
            @Doc("passphrase of the keystore") SecretBytes passphrase,

            @Doc("delete it whatever it holds; default false")
            Optional<Boolean> force)
            implements Call<EvmDeleteKey.Result> {
        /** Creates a call that does not delete a key that may hold a balance. */
        public EvmDeleteKey(SecretBytes passphrase) {
            this(passphrase, Optional.empty());
        }

        public EvmDeleteKey(SecretBytes passphrase, boolean force) {
            this(passphrase, Optional.of(force));
        }

        public record Result(String deleted) {}
    }

    @Method(
            name = "evm_get_balances",
            scope = Scope.READ,
            summary =
                    "Balances of the account-chain key: the native asset as a quorum of endpoints names it, what open swaps need of it, and the configured tokens. Refused without --evm-rpc.",
            errors = {ErrorCode.KEYSTORE_LOCKED, ErrorCode.NO_EVM_KEY, ErrorCode.UPSTREAM})
    public record EvmGetBalances() implements Call<EvmGetBalances.Result> {
        public record Token(String address, String symbol, long decimals, String balance) {}

        public record Result(
                String address,
                String nativeWei,
                @Doc("kept for open swaps") String gasReserveWei,
                List<Token> tokens) {}
    }

    @Method(
            name = "evm_tx_history",
            scope = Scope.READ,
            summary =
                    "Everything that this daemon sent on the account chain, newest first, with how far each transaction has come. Refused without --evm-rpc.")
    public record EvmTxHistory(
            @Doc("default 100, at most 1000") OptionalLong limit,
            @Doc("from a previous answer") Optional<String> cursor)
            implements Call<EvmTxHistory.Result> {
        /** Starts at the newest transaction. */
        public static EvmTxHistory of() {
            return new EvmTxHistory(OptionalLong.empty(), Optional.empty());
        }

        public EvmTxHistory withLimit(long changed) {
            return new EvmTxHistory(OptionalLong.of(changed), cursor);
        }

        public EvmTxHistory withCursor(String changed) {
            return new EvmTxHistory(limit, Optional.of(changed));
        }

        public record SentTransaction(
                @Doc("of the version that was mined, otherwise of the newest one")
                String hash,

                @Doc("out, or self for one to the own address")
                String direction,

                @Doc("send, lock, claim or refund") String kind,
                String from,
                String to,
                String amountWei,

                @Doc("journalled, sent, mined, final; cancelling, cancelled; reverting, reverted; lost")
                String status,

                long createdAt,
                long updatedAt) {}

        public record Result(
                long chainId,
                @Doc("newest first") List<SentTransaction> txs,

                @Doc("for the next page; absent on the last one")
                Optional<String> nextCursor) {}
    }

    @Method(
            name = "evm_send_native",
            scope = Scope.SPEND,
            summary =
                    "Pays out of the account-chain key, and never from what open swaps need for gas. The transaction is durable before it leaves, sent again until it is final, and replaced by one that pays more when it is stuck: the hash may change, evm_tx_history has the one that counts. Refused without --evm-rpc.",
            errors = {
                ErrorCode.KEYSTORE_LOCKED,
                ErrorCode.NO_EVM_KEY,
                ErrorCode.UPSTREAM,
                ErrorCode.TX_BUILD,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.IDEMPOTENCY_CONFLICT
            },
            background = true)
    public record EvmSendNative(
            @Doc("0x and 40 hex characters") String to,

            @Doc("decimal string in whole coins, or max for all that open swaps do not need")
            String amount,

            @Doc("8 to 128 printable ASCII characters; the same token never pays twice")
            Optional<String> clientToken)
            implements Spend<EvmSendNative.Result> {
        @Override
        public Optional<String> idempotencyToken() {
            return clientToken;
        }

        @Override
        public Optional<Payees> payees() {
            return Optional.of(new Payees(List.of(), List.of(new Recipient(to, amount))));
        }

        /** Creates a call that pays at most once, however often it is repeated with this token. */
        public EvmSendNative(String to, String amount, String clientToken) {
            this(to, amount, Optional.of(clientToken));
        }

        public record Result(String txhash) {}
    }
}
