package org.chainwalletd.config;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.evm.EvmAddress;

/**
 * Validated settings of the daemon. They contain configured tokens and passwords, but not the keystore passphrase, which is read once at
 * startup from the environment or a file.
 *
 * @param devnet embedded development node; if empty, external nodes are used
 * @param database server with the store of payments; if empty, the store is a file in the datadir
 */
public record Settings(
        ChainIdentity identity,
        Path datadir,
        Node node,
        Http http,
        Spend spend,
        Keyring keyring,
        Follow follow,
        Account account,
        Swaps swaps,
        Optional<Devnet> devnet,
        Optional<Database> database,
        boolean jsonLogs) {

    /** Consensus rules and names of the chain. */
    public ChainProfile chain() {
        return identity.profile();
    }

    /** Folder of the keyring (interface.md, section 1.4). */
    public Path wallets() {
        return datadir.resolve("wallets");
    }

    /**
     * Identity of the chain.
     *
     * @param genesis id configured by the operator; if empty, the first one seen is pinned
     * @param network configured by the operator; if empty, the nodes report it
     */
    public record ChainIdentity(ChainProfile profile, Optional<Hash256> genesis, Optional<Network> network) {}

    /**
     * @param urls at least one, in the configured order
     * @param attempts rounds over all nodes before a call fails
     * @param backoff base of the linear backoff between rounds
     * @param callTimeout timeout of one request to one node
     * @param maxAnswerBytes maximum length of an answer body
     * @param maxConnections concurrent connections to one node
     * @param indexer called with the same attempts, timeouts and limits
     */
    public record Node(
            List<URI> urls,
            int attempts,
            Duration backoff,
            Duration callTimeout,
            int maxAnswerBytes,
            int maxConnections,
            Optional<Indexer> indexer) {

        /** Returns a copy with other node URLs. */
        public Node withUrls(List<URI> others) {
            return new Node(others, attempts, backoff, callTimeout, maxAnswerBytes, maxConnections, indexer);
        }
    }

    /**
     * @param partner empty if no pool is configured
     * @param leaveOpen whether the daemon may start without the swap engine while swaps are open
     */
    public record Swaps(Optional<Swap> partner, boolean leaveOpen) {}

    /**
     * Pool for swaps.
     *
     * @param pool base URL
     * @param poolCa PEM file with the only trusted certificate; if empty, the system's certificates are trusted
     * @param swapping rules of swaps; if empty, the pool is only queried and nothing is ever locked
     */
    public record Swap(URI pool, Optional<Path> poolCa, Optional<Swapping> swapping) {}

    /**
     * Rules of swaps (swap.md, section 2). They require an account chain and a configured genesis.
     *
     * @param codeHash Keccak-256 of the contract's code
     * @param fromBlock block in which the contract was created
     * @param chainConfirmations required depth of a lock on the chain; if empty, it depends on the amount
     * @param lockBlocks maximum duration of our lock in a sell, in blocks
     * @param lockSecs maximum duration of our lock in a buy, in seconds
     * @param evmMarginSecs seconds that must remain on the pool's lock in the contract when the secret is revealed
     * @param chainMarginBlocks blocks that must remain on the pool's lock on the chain when the secret is revealed
     * @param allowRelay whether the pool may send our claim when we have no gas
     */
    public record Swapping(
            EvmAddress contract,
            Hash256 codeHash,
            OptionalLong fromBlock,
            OptionalLong chainConfirmations,
            long lockBlocks,
            long lockSecs,
            long evmMarginSecs,
            long chainMarginBlocks,
            long maxFeeBps,
            long maxImpactBps,
            boolean allowRelay) {}

    /**
     * Indexers, which answer queries about the whole chain.
     *
     * @param urls at least one, in the configured order
     * @param token sent as bearer token with each request
     */
    public record Indexer(List<URI> urls, Optional<String> token) {
        /** Omits the token. */
        @Override
        public String toString() {
            return "Indexer" + urls;
        }
    }

    /**
     * @param tlsSan additional names in the certificate
     * @param http2 limits of HTTP/2; if empty, HTTP/2 is not offered
     * @param tokenFlags tokens from flag or environment by scope word (read, manage, spend); missing ones come from files
     * @param drain time for calls to finish after a stop was requested
     */
    public record Http(
            Listening listening,
            boolean tls,
            List<String> tlsSan,
            Optional<Http2> http2,
            Map<String, String> tokenFlags,
            Requests requests,
            Batches batches,
            int maxConnections,
            ClientShares shares,
            Duration drain,
            boolean console,
            Access access) {}

    /**
     * Limits on all tokens, regardless of their own policies.
     *
     * @param classicTokens scopes whose tokens from the datadir or the configuration are accepted
     * @param keyExport whether keys and phrases may be exported at all
     */
    public record Access(Set<String> classicTokens, boolean keyExport) {}

    /**
     * @param allowPublic whether the operator asserts that a proxy in front of a public address terminates TLS
     * @param metrics address of a separate listener for /metrics; if empty, the main listener serves it with the read token
     * @param trustedProxies peers whose X-Forwarded-For is trusted
     */
    public record Listening(
            InetSocketAddress bind,
            boolean allowPublic,
            Optional<InetSocketAddress> metrics,
            List<String> trustedProxies) {}

    /** @param headDeadline maximum time from the first byte of a request to the last one */
    public record Requests(
            int maxHeadBytes, int maxBodyBytes, int maxConcurrentPerToken, int maxWaits, Duration headDeadline) {}

    /**
     * @param maxAnswerBytes maximum total size of the answers of one batch
     * @param parallelism items of one batch that run concurrently
     */
    public record Batches(int maxItems, long maxAnswerBytes, int parallelism) {}

    /**
     * Limits of one HTTP/2 connection.
     *
     * @param maxStreams concurrent requests
     * @param maxHeaderBytes maximum decoded size of a request's header in bytes, as counted by RFC 9113, section 6.5.2
     * @param maxControlPerSecond frames per second of each kind that does not advance a request
     */
    public record Http2(int maxStreams, int maxHeaderBytes, int maxControlPerSecond) {}

    /**
     * Share of the resources that one client may use.
     *
     * @param connectionsPerAddress 0 for three quarters of all connections
     * @param heldBytes bytes buffered on behalf of all clients together; see {@link HeapShares#clients}
     * @param percentPerAddress percentage of these bytes for one address
     * @param percentPerConnection percentage of these bytes for one connection
     */
    public record ClientShares(
            int connectionsPerAddress, OptionalLong heldBytes, int percentPerAddress, int percentPerConnection) {
        /** @param all maximum number of connections of all clients */
        public int connectionsPerAddress(int all) {
            return connectionsPerAddress == 0 ? Math.max(1, all - all / 4) : connectionsPerAddress;
        }
    }

    /**
     * Limits and rules of spending; an empty cap means no limit.
     *
     * @param capPeriod length of the window of {@code capPerPeriod}
     * @param reservationTtl time for which an outpoint stays reserved while no node reports its transaction
     * @param receiptTtl time for which a client token returns its receipt after its payment is settled
     * @param autoReclaim whether own HTLC locks are reclaimed automatically after their timeout
     * @param historyKept time for which payments are listed after their last change; if empty, permanently
     * @param sharedKeys whether another daemon has keys of this one
     * @param storeRestored whether the operator states that the store was restored from a backup, or lost
     */
    public record Spend(
            Optional<Amount> capPerTx,
            Optional<Amount> capPerPeriod,
            Duration capPeriod,
            Duration reservationTtl,
            Duration receiptTtl,
            Optional<Duration> historyKept,
            Duration rebroadcastInterval,
            boolean autoReclaim,
            boolean sharedKeys,
            boolean storeRestored,
            Payouts payouts) {}

    /**
     * Queue of payouts.
     *
     * @param from paying addresses, used when a call names none
     * @param most maximum number of unfinished payouts
     * @param delay age of the oldest payout at which a batch is closed
     * @param feeRate base units per 100 cost units
     * @param coins target number of coins of a paying address
     */
    public record Payouts(List<Address> from, long most, Duration delay, long feeRate, int coins) {}

    /**
     * @param unsealThreads number of concurrent Argon2id computations
     * @param mints maximum number of concurrent calls for new keys
     * @param pool number of standard keys that are sealed in advance
     * @param passphraseFile file of the passphrase; if empty, it comes from the environment
     */
    public record Keyring(int unsealThreads, int mints, int pool, Optional<Path> passphraseFile) {}

    /**
     * Rules for following the chain.
     *
     * @param verifyWork whether proofs of work are verified
     * @param from height from which the books are made complete, {@link #NOW} for no completion; if empty, as far back as the keys need
     * @param maxLag number of blocks behind the node's tip at which the daemon is no longer ready
     * @param ledgerFirst whether the coins of an address are read from the daemon's own books before the node is asked
     * @param creditsKeepDays days after which credits are removed; 0 for never
     */
    public record Follow(
            boolean verifyWork,
            Optional<Checkpoint> checkpoint,
            Optional<Long> from,
            long maxLag,
            boolean ledgerFirst,
            long creditsKeepDays) {
        /** Height that means that no blocks older than the first start are read. */
        public static final long NOW = Long.MAX_VALUE;
    }

    /**
     * Database on a PostgreSQL server.
     *
     * @param hosts each as {@code host:port}, tried in this order to find the primary
     * @param tls whether connections are encrypted, and the server's certificate and host name verified
     * @param rootCertificate PEM file with the trusted certificates; if empty, the system's are trusted
     * @param passwordFile file that is read for each connection; if empty, {@code password} is used
     * @param password from the environment; empty if not set
     * @param advertised URL at which the other daemons of the database reach this one; if empty, its listening address
     * @param cluster connections between the daemons; empty for none
     */
    public record Database(
            String user,
            List<String> hosts,
            String name,
            boolean tls,
            Optional<Path> rootCertificate,
            Optional<Path> passwordFile,
            Optional<String> password,
            Optional<URI> advertised,
            Optional<Cluster> cluster) {
        static final String SCHEME = "postgresql://";

        /**
         * Reads the password for a new connection; empty if there is none.
         *
         * @throws IllegalArgumentException with a sentence that names the file, when the file cannot be used
         */
        public Optional<String> currentPassword() {
            try {
                return passwordFile.map(FileAccess::secretIn).or(() -> password);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("the password file " + passwordFile.get() + " " + e.getMessage(), e);
            }
        }

        /** Omits the password. */
        @Override
        public String toString() {
            return SCHEME + user + "@" + String.join(",", hosts) + "/" + name;
        }
    }

    /**
     * Connections between the daemons of a database.
     *
     * @param bind address at which the other daemons reach this one; its port may be 0
     * @param files if empty, connections are not encrypted, which is allowed for loopback addresses only
     */
    public record Cluster(InetSocketAddress bind, Optional<PemFiles> files) {}

    /**
     * Certificate and key of a daemon, and the issuer that it accepts, as PEM files.
     *
     * @param certificate presented to the peer, both as client and as server
     */
    public record PemFiles(Path certificate, Path key, Path issuer) {}

    /** Block that the operator knows to be on the chain. */
    public record Checkpoint(long height, Hash256 blockId) {}

    /**
     * Embedded development node.
     *
     * @param blockInterval zero for blocks on demand only
     * @param seed makes the chain reproducible; if empty, a fixed default is used
     * @param work whether its blocks have proof of work
     * @param prompt whether a new payment is in the very next block; a real node has already assembled that block
     */
    public record Devnet(
            InetSocketAddress bind,
            Path folder,
            Duration blockInterval,
            boolean quotas,
            OptionalLong seed,
            boolean work,
            boolean prompt) {}

    /**
     * Account chain.
     *
     * @param chain empty if there is none
     */
    public record Account(Optional<Evm> chain, EvmWords words) {}

    /**
     * Access to the account chain.
     *
     * @param urls endpoints, at least as many as the quorum
     * @param quorum number of endpoints that must agree
     * @param chainId id that every endpoint must report
     * @param callTimeout timeout of one request to one endpoint
     * @param tokens contracts whose balances are shown
     * @param knownNonce nonce below which the operator vouches for all transactions of the key
     */
    public record Evm(
            List<URI> urls,
            int quorum,
            long chainId,
            Duration callTimeout,
            List<EvmAddress> tokens,
            OptionalLong knownNonce,
            EvmFinality finality) {}

    /** Rule by which a block of the account chain counts as final. */
    public sealed interface EvmFinality {
        /** Final by a block tag of the endpoints, {@code finalized} or {@code safe}. */
        record Tag(String word) implements EvmFinality {}

        /** Final with {@code count} blocks on top. */
        record Blocks(long count) implements EvmFinality {}
    }

    /**
     * Names of the account chain in the interface (decisions.md, section 1); the default names always work too.
     *
     * @param brand word in the names of methods
     * @param nativeAsset word in directions of swaps
     */
    public record EvmWords(String brand, String nativeAsset) {
        public static final EvmWords DEFAULT = new EvmWords("evm", "native");
    }
}
