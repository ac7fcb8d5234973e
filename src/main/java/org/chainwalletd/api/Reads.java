package org.chainwalletd.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.wire.Alias;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;

/** Reads of the chain and of the daemon's own state (interface.md, section 4.5). Amounts are base units. */
public final class Reads {
    private static final String ADDRESS = "Address, 64 hex characters";

    private Reads() {}

    /** Block (interface.md, section 2.4) with its id under both names (decisions.md, section 2). */
    public record Block(
            Hash256 blockId,
            @Doc("The same as block_id") Hash256 hash,
            long height,
            Hash256 prevBlockId,
            Hash256 stateRoot,
            Hash256 txRoot,
            @Doc("Unix seconds") long timestamp,
            long nonce,
            Hash256 difficultyTarget,
            long txCount,
            @Doc("Transaction ids in block order") List<Hash256> transactions) {}

    /**
     * Unspent outputs (interface.md, section 2.3).
     *
     * @param address empty in a listing by script
     * @param scriptHex empty in a listing by address
     */
    public record UtxoListing(
            @OrNull Optional<Address> address,
            @OrNull Optional<Bytes> scriptHex,
            long tipHeight,

            @Doc("The node clipped its list at 1000 entries")
            boolean truncated,

            List<Utxo> utxos) {}

    /** @param scriptLen length in bytes; empty if the node does not report it */
    public record Utxo(
            Hash256 txId,
            @U32 long outputIndex,
            Amount value,
            long height,
            boolean isCoinbase,
            OptionalInt scriptLen) {}

    @Method(name = "ping", scope = Scope.READ, summary = "Answers; asks nobody.")
    public record Ping() implements Call<Ping.Result> {
        public record Result(boolean ok) {}
    }

    /** Checks the syntax only, because hex addresses have no checksum. */
    @Method(
            name = "validate_address",
            scope = Scope.READ,
            summary = "Tells whether a text has the form of an address; asks no node.")
    public record ValidateAddress(@Doc("Any text") String address) implements Call<ValidateAddress.Result> {
        public record Result(
                boolean valid,

                @Doc("The address in lower case, null when it is none") @OrNull
                Optional<Address> normalized) {}
    }

    @Method(
            name = "get_status",
            scope = Scope.READ,
            summary = "Version, tip, nodes, number of keys and spends in flight; succeeds also when no node does.")
    public record GetStatus() implements Call<GetStatus.Result> {
        /**
         * @param network empty while no node of our chain has reported it
         * @param genesisBlockId empty before the first contact with a node
         */
        public record Result(
                String version,
                Tip tip,

                @Doc("A node answered and signing is possible")
                boolean upstreamOk,

                List<String> upstreamNodes,
                @U32 long walletCount,
                @U32 long inFlightUtxos,
                @U32 long inFlightTransfers,

                @Doc("mainnet, testnet, devnet or null") @OrNull
                Optional<String> network,

                @Doc("Genesis id that transactions are signed for") @OrNull
                Optional<Hash256> genesisBlockId,

                @Doc("What is wrong with the chain of the nodes; absent when nothing is")
                Optional<String> complaint) {}

        /** Both are empty if no node answered. */
        public record Tip(
                @OrNull Optional<Hash256> blockId, @OrNull OptionalLong height) {}
    }

    @Method(
            name = "get_block_height",
            scope = Scope.READ,
            summary = "Height and id of the best block.",
            errors = ErrorCode.UPSTREAM)
    public record GetBlockHeight() implements Call<GetBlockHeight.Result> {
        public record Result(
                long height,
                Hash256 blockId,

                @Doc("Genesis id that the node reports; absent with old nodes")
                Optional<Hash256> genesisBlockId) {}
    }

    @Method(
            name = "get_block_by_id",
            scope = Scope.READ,
            summary = "A block by its id; it may be one of a stale fork.",
            errors = ErrorCode.UPSTREAM)
    public record GetBlockById(Hash256 blockId) implements Call<Block> {}

    @Method(
            name = "get_block_by_height",
            scope = Scope.READ,
            summary = "The block of the best chain at a height.",
            errors = ErrorCode.UPSTREAM)
    public record GetBlockByHeight(long height) implements Call<Block> {}

    @Method(
            name = "get_block_id_at_height",
            scope = Scope.READ,
            summary = "Id of the block of the best chain at a height; costs as much as get_block_by_height.",
            errors = ErrorCode.UPSTREAM)
    public record GetBlockIdAtHeight(long height) implements Call<GetBlockIdAtHeight.Result> {
        public record Result(long height, Hash256 blockId) {}
    }

    /** Name that older clients use for both reads of a block (decisions.md, section 2). */
    @Method(
            name = "get_block",
            scope = Scope.READ,
            summary = "A block by its id or height; use get_block_by_id or get_block_by_height.",
            errors = ErrorCode.UPSTREAM,
            deprecated = true)
    public record GetBlock(
            @Doc("Block id; wins when both are given") Optional<Hash256> hash,
            @Doc("Height on the best chain") OptionalLong height)
            implements Call<Block> {
        public GetBlock(Hash256 hash) {
            this(Optional.of(hash), OptionalLong.empty());
        }

        public GetBlock(long height) {
            this(Optional.empty(), OptionalLong.of(height));
        }
    }

    @Method(
            name = "get_transaction",
            scope = Scope.READ,
            summary = "A confirmed or pending transaction with its inputs resolved.",
            errors = ErrorCode.UPSTREAM)
    public record GetTransaction(
            @Doc("Transaction id") @Alias(value = "hash", deprecated = true)
            Hash256 txId) implements Call<GetTransaction.Result> {
        /**
         * Transaction with its inputs resolved as far as possible (interface.md, section 2.5).
         *
         * @param blockId empty while in the mempool
         * @param blockHeight empty while in the mempool
         */
        public record Result(
                Hash256 txId,
                Bytes txHex,
                boolean inMempool,
                @OrNull Optional<Hash256> blockId,
                @OrNull OptionalLong blockHeight,
                List<ResolvedInput> inputs,
                List<DecodedOutput> outputs,
                Amount totalOut,

                @Doc("Absent when an input could not be resolved")
                Optional<Amount> totalIn,

                @Doc("Absent together with total_in") Optional<Amount> fee,
                @Doc("Bytes") long size) {}

        /**
         * @param address derived from the key in the witness, else taken from the spent output; empty for a script and if neither is
         *     available
         * @param scriptHex locking script of the spent output if it is not an address; empty otherwise and if unresolved
         * @param value empty if unresolved
         * @param witness empty if it has no bytes
         */
        public record ResolvedInput(
                Hash256 prevTxId,
                @U32 long outputIndex,
                Optional<Address> address,
                Optional<Bytes> scriptHex,
                Optional<Amount> value,
                Optional<InputWitness> witness) {}

        /** Plain witness as key and signature, any other as hex. */
        public record InputWitness(
                Optional<PublicKey> pubkey,
                Optional<Bytes> signature,
                Optional<Bytes> witnessHex,
                Optional<Bytes> redeemerHex) {}

        /** Output with either an address or a script. */
        public record DecodedOutput(
                Optional<Address> address,
                Optional<Bytes> scriptHex,
                Amount value,
                Optional<Bytes> datum,
                Optional<Hash256> datumHash) {}
    }

    @Method(
            name = "get_balance",
            scope = Scope.READ,
            summary = "Confirmed balance of an address; the mempool is not counted.",
            errors = ErrorCode.UPSTREAM)
    public record GetBalance(@Doc(ADDRESS) Address address) implements Call<GetBalance.Result> {
        public record Result(
                Address address,
                @Doc("Confirmed balance in base units") Amount balance) {}
    }

    @Method(
            name = "get_wallet_balance",
            scope = Scope.READ,
            summary =
                    "Confirmed balances of the managed addresses and their sum. When the nodes' quotas do not suffice at once it takes up to 90"
                            + " seconds, for up to 2000 addresses.",
            errors = ErrorCode.UPSTREAM)
    public record GetWalletBalance(
            @Doc("Whether outputs are counted too; default true")
            Optional<Boolean> utxos,

            @Doc("Only these addresses; unknown ones are ignored. Default: all managed")
            Optional<List<Address>> addresses,

            @Doc(
                    "Whether addresses that are watched although their keys are elsewhere are told and summed up too; default false")
            Optional<Boolean> includeWatchOnly)
            implements Call<GetWalletBalance.Result> {
        /** Maximum duration of the call: a wait of one minute for the nodes' quotas, plus processing. */
        public static final Duration PATIENCE = Duration.ofSeconds(90);

        /** Requests all managed addresses, with their outputs counted. */
        public GetWalletBalance() {
            this(Optional.empty(), Optional.empty(), Optional.empty());
        }

        /** Requests some addresses, with their outputs counted. */
        public GetWalletBalance(List<Address> addresses) {
            this(Optional.empty(), Optional.of(addresses), Optional.empty());
        }

        @Override
        public Duration waits() {
            return PATIENCE;
        }

        public record Result(
                List<WalletEntry> entries,
                @Doc("Sum over the entries") Amount total) {}

        /** Managed address (interface.md, section 2.2). */
        public record WalletEntry(
                Address address,
                @U32 OptionalLong index,
                Optional<String> label,
                boolean imported,
                Amount balance,
                @U32 OptionalLong utxoCount,
                Optional<Boolean> truncated,

                @Doc("`watch_only` for an address whose key is elsewhere. Absent otherwise")
                Optional<String> origin) {}
    }

    @Method(
            name = "get_wallet_history",
            scope = Scope.READ,
            summary =
                    "What has come into the wallet and left it in each five minutes of the last hours, by the times of blocks, from the daemon's own"
                            + " books.")
    public record GetWalletHistory(
            @Doc("1 to 24; default 24") OptionalLong hours) implements Call<GetWalletHistory.Result> {
        /** Requests the last 24 hours. */
        public GetWalletHistory() {
            this(OptionalLong.empty());
        }

        public record Result(
                @Doc("Length of a step in seconds") long stepSecs,

                @Doc("Newest block that counts; null before one is followed")
                OptionalLong height,

                @Doc(
                        "Unix seconds; nothing is told of what was before, on a chain with many blocks a minute also less than the hours")
                OptionalLong completeFrom,

                @Doc("Ascending, without gaps; the last one is still going on")
                List<Step> steps) {}

        public record Step(
                @Doc("Unix seconds of its beginning") long time,

                @Doc(
                        "Outputs that paid own addresses, in transactions that spent no coin of ours or brought more than they spent;"
                                + " a coinbase counts when it may be spent")
                long deposits,

                @Doc("Base units") Amount deposited,

                @Doc("Transactions that spent coins of ours")
                long payments,

                @Doc(
                        "Base units that they took away, with fees; what comes back as change or to another own address does not count")
                Amount paid,

                @Doc("Base units at its end, of the addresses that get_wallet_balance tells")
                Amount balance) {}
    }

    @Method(
            name = "get_address_utxos",
            scope = Scope.READ,
            summary = "Confirmed unspent outputs of an address, at most 1000; there is no cursor.",
            errors = ErrorCode.UPSTREAM)
    public record GetAddressUtxos(@Doc(ADDRESS) Address address) implements Call<UtxoListing> {}

    @Method(
            name = "get_script_utxos",
            scope = Scope.READ,
            summary = "Confirmed unspent outputs with a locking script, at most 1000; there is no cursor.",
            errors = ErrorCode.UPSTREAM)
    public record GetScriptUtxos(
            @Doc("Locking script, 1 to 65535 bytes") Bytes scriptHex) implements Call<UtxoListing> {}

    @Method(
            name = "get_address_mempool",
            scope = Scope.READ,
            summary = "Unconfirmed transactions that pay or spend an address.",
            errors = ErrorCode.UPSTREAM)
    public record GetAddressMempool(@Doc(ADDRESS) Address address) implements Call<GetAddressMempool.Result> {
        public record Result(Address address, long tipHeight, List<Pending> mempool) {}

        public record Pending(Hash256 txId, List<Received> received, List<Spending.Input> spent) {}

        public record Received(@U32 long outputIndex, Amount value) {}
    }
}
