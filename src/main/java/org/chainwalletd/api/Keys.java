package org.chainwalletd.api;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.wire.Alias;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/**
 * Methods of the keyring (interface.md, section 4.11). Secrets are UTF-8 text; the code that creates or receives a secret must close it,
 * which overwrites it.
 */
public final class Keys {
    private static final String LABEL = "text for people, at most 256 bytes of UTF-8, no control characters";
    private static final String WORDS =
            "24 English BIP-39 words: one string with any white space between them, or an array of words";
    private static final String KEYSTORE_PASSPHRASE = "passphrase of the keystore";
    private static final String VAULT_PASSPHRASE = "passphrase of the vault, independent of the keystore's";
    private static final String RESCAN =
            "Blocks that are read in the background until the history of the address is known; get_follower_status tells how far that is. Absent for a key that was drawn here, and when nothing is being read";

    /** Origin of an address that is watched although its key is elsewhere. */
    public static final String WATCH_ONLY = "watch_only";

    private Keys() {}

    /**
     * Stored key that is not derived from a seed (1:1 key).
     *
     * @param imported always true
     */
    public record NewKey(
            Address address,
            PublicKey pubkey,
            boolean imported,
            @Doc(RESCAN) OptionalLong rescanBlocksLeft) {}

    @Method(
            name = "generate_standard_address",
            scope = Scope.MANAGE,
            summary =
                    "Makes a new key with a standard 24-word phrase of its own, which reveal_address_mnemonic returns.")
    public record GenerateStandardAddress(@Doc(LABEL) Optional<String> label) implements Call<NewKey> {
        public GenerateStandardAddress() {
            this(Optional.empty());
        }

        public GenerateStandardAddress(String label) {
            this(Optional.of(label));
        }
    }

    @Method(
            name = "generate_independent_address",
            scope = Scope.MANAGE,
            summary =
                    "Makes a new key whose 24-word phrase spells the secret itself; the phrase restores into this daemon only.")
    public record GenerateIndependentAddress(@Doc(LABEL) Optional<String> label) implements Call<NewKey> {
        public GenerateIndependentAddress() {
            this(Optional.empty());
        }

        public GenerateIndependentAddress(String label) {
            this(Optional.of(label));
        }
    }

    @Method(
            name = "generate_address",
            scope = Scope.MANAGE,
            summary =
                    "Derives the next key of a seeded (legacy) keyring: index 0, 1, 2 and so on. Refused on a keyring without a seed.",
            errors = {ErrorCode.WALLET_EXISTS, ErrorCode.KEYSTORE_LOCKED})
    public record GenerateAddress(@Doc(LABEL) Optional<String> label) implements Call<GenerateAddress.Result> {
        public GenerateAddress() {
            this(Optional.empty());
        }

        public GenerateAddress(String label) {
            this(Optional.of(label));
        }

        /** @param index index in the derivation path m/44'/9527'/0'/0'/index' */
        public record Result(
                Address address,
                PublicKey pubkey,
                @U32 long index,
                @Doc(RESCAN) OptionalLong rescanBlocksLeft) {}
    }

    /** @param privateKey 64 hex characters */
    @Method(
            name = "import_private_key",
            scope = Scope.MANAGE,
            summary = "Takes in a raw Ed25519 secret; the caller keeps the backup.",
            errors = ErrorCode.WALLET_EXISTS)
    public record ImportPrivateKey(
            @Alias("secret_hex") @Doc("raw 32-byte Ed25519 secret as 64 hex characters")
            SecretBytes privateKey,

            @Doc(LABEL) Optional<String> label)
            implements Call<NewKey> {
        public ImportPrivateKey(SecretBytes privateKey) {
            this(privateKey, Optional.empty());
        }

        public ImportPrivateKey(SecretBytes privateKey, String label) {
            this(privateKey, Optional.of(label));
        }
    }

    @Method(
            name = "import_mnemonic",
            scope = Scope.MANAGE,
            summary = "Takes in a key from the 24 words that spell its secret (an independent phrase).",
            errors = ErrorCode.WALLET_EXISTS)
    public record ImportMnemonic(
            @Doc(WORDS) SecretBytes mnemonic, @Doc(LABEL) Optional<String> label) implements Call<NewKey> {
        public ImportMnemonic(SecretBytes mnemonic) {
            this(mnemonic, Optional.empty());
        }

        public ImportMnemonic(SecretBytes mnemonic, String label) {
            this(mnemonic, Optional.of(label));
        }
    }

    @Method(
            name = "import_standard_mnemonic",
            scope = Scope.MANAGE,
            summary = "Takes in a key from a standard 24-word phrase, which is kept with it.",
            errors = ErrorCode.WALLET_EXISTS)
    public record ImportStandardMnemonic(
            @Doc(WORDS) SecretBytes mnemonic, @Doc(LABEL) Optional<String> label) implements Call<NewKey> {
        public ImportStandardMnemonic(SecretBytes mnemonic) {
            this(mnemonic, Optional.empty());
        }

        public ImportStandardMnemonic(SecretBytes mnemonic, String label) {
            this(mnemonic, Optional.of(label));
        }
    }

    @Method(name = "list_addresses", scope = Scope.READ, summary = "Lists all addresses of the keyring.")
    public record ListAddresses(
            @Doc(
                    "Whether addresses that are watched although their keys are elsewhere are told too, apart from the others; default false")
            Optional<Boolean> includeWatchOnly)
            implements Call<ListAddresses.Result> {
        /** Requests addresses of the keyring only. */
        public ListAddresses() {
            this(Optional.empty());
        }

        /** @param addresses legacy HD keys by index, then the other keys in order of arrival */
        public record Result(
                List<AddressEntry> addresses,
                @Doc("Only with include_watch_only") Optional<List<WatchOnlyEntry>> watchOnly) {}

        /** Address that is watched although its key is elsewhere. */
        public record WatchOnlyEntry(
                Address address,
                Optional<String> label,
                @Doc("As watch_address was told it") OptionalLong birthHeight,

                @Doc("Always `watch_only`") String origin) {}

        /**
         * Managed address (interface.md, section 2.1).
         *
         * @param index set only for a legacy HD key
         * @param imported true for every 1:1 key
         */
        public record AddressEntry(
                Address address, @U32 OptionalLong index, Optional<String> label, boolean imported) {}
    }

    @Method(
            name = "watch_address",
            scope = Scope.MANAGE,
            summary =
                    "Watches an address whose key is elsewhere: its credits, balance and events are told from now on. Watched again, it gets the"
                            + " label and birth_height of the last call.")
    public record WatchAddress(
            @Doc("Not of the keyring, whose addresses are watched anyway")
            Address address,

            @Doc(LABEL) Optional<String> label,

            @Doc(
                    "Height below which nothing was paid to the address: blocks from there on are read in the background. Without it only what comes is told")
            @U32
            OptionalLong birthHeight)
            implements Call<WatchAddress.Result> {
        /** Watches payments from now on. */
        public WatchAddress(Address address) {
            this(address, Optional.empty(), OptionalLong.empty());
        }

        public record Result(
                Address address,
                @Doc("Always `watch_only`") String origin,
                @Doc(RESCAN) OptionalLong rescanBlocksLeft) {}
    }

    @Method(
            name = "unwatch_address",
            scope = Scope.MANAGE,
            summary = "Watches an address no more whose key is elsewhere. Credits that were told stay told.")
    public record UnwatchAddress(Address address) implements Call<UnwatchAddress.Result> {
        public record Result(
                Address address,
                @Doc("False: it was not watched") boolean wasWatched) {}
    }

    @Method(
            name = "reveal_address_mnemonic",
            scope = Scope.SPEND,
            summary = "Reveals the 24 words of a 1:1 key: its standard phrase, or the words that spell its secret.",
            errors = {ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED})
    public record RevealAddressMnemonic(
            Address address, @Doc(KEYSTORE_PASSPHRASE) SecretBytes passphrase)
            implements Call<RevealAddressMnemonic.Result> {
        /** @param mnemonic 24 lower-case words */
        public record Result(Address address, List<SecretBytes> mnemonic) {}
    }

    @Method(
            name = "reveal_mnemonic",
            scope = Scope.SPEND,
            summary = "Reveals the 24 words of the seed of a seeded (legacy) keyring.",
            errors = ErrorCode.KEYSTORE_LOCKED)
    public record RevealMnemonic(@Doc(KEYSTORE_PASSPHRASE) SecretBytes passphrase)
            implements Call<RevealMnemonic.Result> {
        /** @param mnemonic 24 lower-case words; not portable to most other wallets */
        public record Result(List<SecretBytes> mnemonic) {}
    }

    @Method(
            name = "reveal_private_key",
            scope = Scope.SPEND,
            summary = "Reveals the secret of a key of any origin.",
            errors = {ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED})
    public record RevealPrivateKey(
            Address address, @Doc(KEYSTORE_PASSPHRASE) SecretBytes passphrase)
            implements Call<RevealPrivateKey.Result> {
        /** @param secretHex 64 hex characters */
        public record Result(Address address, SecretBytes secretHex) {}
    }

    @Method(
            name = "export_address",
            scope = Scope.SPEND,
            summary = "Seals one key, with its standard phrase and label, into a portable vault.",
            errors = {ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED})
    public record ExportAddress(
            Address address, @Doc(VAULT_PASSPHRASE) SecretBytes passphrase) implements Call<ExportAddress.Result> {
        public record Result(Address address, Bytes vaultHex) {}
    }

    @Method(
            name = "export_vault",
            scope = Scope.SPEND,
            summary =
                    "Seals every key, with standard phrases and labels, into a portable vault. What is damaged is left out and named; when nothing can"
                            + " be unsealed the call fails. Takes one key derivation per sealed file.",
            errors = ErrorCode.KEYSTORE_LOCKED,
            repeatable = true)
    public record ExportVault(@Doc(VAULT_PASSPHRASE) SecretBytes passphrase) implements Call<ExportVault.Result> {
        public record Result(
                Bytes vaultHex,

                @Doc(
                        "what is not in the vault because its sealed file is damaged, missing or another key's; absent when everything is. The log"
                                + " names the file and the reason")
                Optional<List<Missing>> notExported) {}

        public record Missing(
                @Doc("`key`, `phrase` (its key is in the vault), or `evm_key`")
                String part,

                @Doc("as list_addresses or evm_get_address tells it")
                String address) {}
    }

    @Method(
            name = "import_vault",
            scope = Scope.SPEND,
            summary = "Takes in the keys of a vault that are not in the keyring yet, all together.",
            errors = ErrorCode.KEYSTORE_LOCKED)
    public record ImportVault(
            Bytes vaultHex, @Doc(VAULT_PASSPHRASE) SecretBytes passphrase) implements Call<ImportVault.Result> {
        /** @param imported newly added addresses in the order of the vault */
        public record Result(
                List<Address> imported, @Doc(RESCAN) OptionalLong rescanBlocksLeft) {}
    }

    @Method(
            name = "delete_address",
            scope = Scope.SPEND,
            summary =
                    "Deletes a key for good. Refused while its address holds or awaits coins, is needed by a spend in flight, or cannot be checked, unless force is true.",
            errors = {ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED},
            background = true)
    public record DeleteAddress(
            Address address,
            @Doc(KEYSTORE_PASSPHRASE) SecretBytes passphrase,

            @Doc("delete it whatever it holds, also when its sealed file is damaged; default false")
            Optional<Boolean> force)
            implements Call<DeleteAddress.Result> {
        /** Creates a call that is refused if any guard objects. */
        public DeleteAddress(Address address, SecretBytes passphrase) {
            this(address, passphrase, Optional.empty());
        }

        public DeleteAddress(Address address, SecretBytes passphrase, boolean force) {
            this(address, passphrase, Optional.of(force));
        }

        public record Result(Address deleted) {}
    }
}
