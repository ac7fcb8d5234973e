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
 * Settings of the daemon, after validation. Secrets are not here: the keystore passphrase is taken from the environment or a file once, at start, and
 * tokens are held by the authenticator as hashes.
 *
 * @param devnet empty: the nodes are not our own
 * @param database server with the store of payments; empty: that is a file in the datadir
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

    /** Rules and names of the chain. */
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
     * @param genesis id named by the operator; empty: the first one seen is pinned
     * @param network named by the operator; empty: the nodes say it
     */
    public record ChainIdentity(ChainProfile profile, Optional<Hash256> genesis, Optional<Network> network) {}

    /**
     * @param urls at least one, in the configured order
     * @param attempts rounds over all nodes before a call fails
     * @param backoff base of the linear backoff between rounds
     * @param callTimeout time-out of one request to one node
     * @param maxAnswerBytes longest answer body that is read
     * @param maxConnections connections to one node at a time
     * @param indexer asked with the same attempts, times and limits
     */
    public record Node(
            List<URI> urls,
            int attempts,
            Duration backoff,
            Duration callTimeout,
            int maxAnswerBytes,
            int maxConnections,
            Optional<Indexer> indexer) {

        /** Returns the same settings with other nodes. */
        public Node withUrls(List<URI> others) {
            return new Node(others, attempts, backoff, callTimeout, maxAnswerBytes, maxConnections, indexer);
        }
    }

    /**
     * @param partner empty: there is no pool to swap with
     * @param leaveOpen whether the daemon may start without the swap engine while swaps are open
     */
    public record Swaps(Optional<Swap> partner, boolean leaveOpen) {}

    /**
     * Pool with which swaps are made.
     *
     * @param pool base URL
     * @param poolCa PEM file with the only certificate that is trusted; empty: the system's
     * @param swapping rules of swaps; empty: the pool is only asked, nothing is ever locked
     */
    public record Swap(URI pool, Optional<Path> poolCa, Optional<Swapping> swapping) {}

    /**
     * Rules of swaps (swap.md, section 2). They require an account chain and a named genesis.
     *
     * @param codeHash Keccak-256 of the contract's code
     * @param fromBlock block with the contract's creation
     * @param chainConfirmations depth of a lock on the chain; empty: by the amount
     * @param lockBlocks longest own lock in a sell, in blocks
     * @param lockSecs longest own lock in a buy, in seconds
     * @param evmMarginSecs seconds that must be left on the pool's lock in the contract when the secret leaves
     * @param chainMarginBlocks blocks that must be left on the pool's lock on the chain when the secret leaves
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
     * Services that answer about the whole chain.
     *
     * @param urls at least one, in the configured order
     * @param token sent as bearer token with each request
     */
    public record Indexer(List<URI> urls, Optional<String> token) {
        /** Describes the indexer without the token. */
        @Override
        public String toString() {
            return "Indexer" + urls;
        }
    }

    /**
     * @param tlsSan further names in the certificate
     * @param http2 limits of HTTP/2; empty: it is not offered
     * @param tokenFlags tokens from flag or environment by scope word (read, manage, spend); absent ones come from files
     * @param drain time for which calls may go on after a stop was requested
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
     * Limits on all tokens, whatever their own policies are.
     *
     * @param classicTokens scopes whose tokens in the datadir or from the configuration are accepted
     * @param keyExport whether keys and phrases may be exported at all
     */
    public record Access(Set<String> classicTokens, boolean keyExport) {}

    /**
     * @param allowPublic whether the operator asserts that something in front of a public address terminates TLS
     * @param metrics address of a separate listener for /metrics; empty: on the main one, with the read token
     * @param trustedProxies peers whose X-Forwarded-For is believed
     */
    public record Listening(
            InetSocketAddress bind,
            boolean allowPublic,
            Optional<InetSocketAddress> metrics,
            List<String> trustedProxies) {}

    /** @param headDeadline longest time from the first byte of a request to its last one */
    public record Requests(
            int maxHeadBytes, int maxBodyBytes, int maxConcurrentPerToken, int maxWaits, Duration headDeadline) {}

    /**
     * @param maxAnswerBytes most bytes of all answers of one batch together
     * @param parallelism items of one batch that run at a time
     */
    public record Batches(int maxItems, long maxAnswerBytes, int parallelism) {}

    /**
     * Limits of one HTTP/2 connection.
     *
     * @param maxStreams requests at a time
     * @param maxHeaderBytes most bytes of a request's header, decoded, as RFC 9113 counts them (section 6.5.2)
     * @param maxControlPerSecond frames per second of each kind that does not advance a request
     */
    public record Http2(int maxStreams, int maxHeaderBytes, int maxControlPerSecond) {}

    /**
     * Share of the resources that one client may take.
     *
     * @param connectionsPerAddress 0: three quarters of all
     * @param heldBytes bytes buffered on behalf of all clients together; empty: a quarter of the heap
     * @param percentPerAddress percentage of these for one address
     * @param percentPerConnection percentage of these for one connection
     */
    public record ClientShares(
            int connectionsPerAddress, OptionalLong heldBytes, int percentPerAddress, int percentPerConnection) {
        /** @param all most connections of all clients */
        public int connectionsPerAddress(int all) {
            return connectionsPerAddress == 0 ? Math.max(1, all - all / 4) : connectionsPerAddress;
        }
    }

    /**
     * Spend allowance; empty caps mean no limit.
     *
     * @param capPeriod length of the window of {@code capPerPeriod}
     * @param reservationTtl how long an outpoint stays reserved when nothing is heard of its transaction
     * @param receiptTtl how long a client token answers its receipt after its payment is settled
     * @param autoReclaim whether own HTLC locks past their timeout are taken back without being asked
     * @param historyKept how long payments are listed after their last change; empty: for ever
     * @param sharedKeys whether another daemon has keys of this one
     * @param storeRestored whether the operator says that the store was restored from a backup, or lost
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
     * @param from addresses that pay when a call names none
     * @param most greatest number of unfinished payouts
     * @param delay time after which the oldest payout of a batch closes it
     * @param feeRate base units per 100 cost units
     * @param coins number of coins that a paying address is to have
     */
    public record Payouts(List<Address> from, long most, Duration delay, long feeRate, int coins) {}

    /**
     * @param unsealThreads number of Argon2id computations at a time
     * @param mints number of calls for new keys that may be under way at a time
     * @param pool number of standard keys that are sealed ahead of time
     * @param passphraseFile file of the passphrase; empty: it comes from the environment
     */
    public record Keyring(int unsealThreads, int mints, int pool, Optional<Path> passphraseFile) {}

    /**
     * Rules for following the chain.
     *
     * @param verifyWork whether proofs of work are computed
     * @param from height from which the books are made complete, {@link #NOW} for not at all; empty: as far as the keys need it
     * @param maxLag blocks below the node's tip at which the daemon is no longer ready
     * @param ledgerFirst whether the daemon's own books are asked before the node for the coins of an address
     * @param creditsKeepDays days after which credits are removed; 0 for never
     */
    public record Follow(
            boolean verifyWork,
            Optional<Checkpoint> checkpoint,
            Optional<Long> from,
            long maxLag,
            boolean ledgerFirst,
            long creditsKeepDays) {
        /** Height that stands for completing nothing that is older than the first start. */
        public static final long NOW = Long.MAX_VALUE;
    }

    /**
     * Database of a PostgreSQL server.
     *
     * @param hosts each as {@code host:port}, tried in this order for the primary
     * @param tls whether connections are encrypted, and the server's certificate and host name checked
     * @param rootCertificate PEM file with the certificates that are trusted; empty: the system's
     * @param passwordFile file that is read at each connection; empty: {@code password} is used
     * @param password from the environment; empty: none
     * @param advertised URL at which other daemons of the database reach this one; empty: that at which it listens
     * @param cluster connections between the daemons; empty: none
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
         * Reads the password of a new connection; empty when there is none.
         *
         * @throws IllegalArgumentException with a sentence that names the file, when it cannot be used
         */
        public Optional<String> currentPassword() {
            try {
                return passwordFile.map(FileAccess::secretIn).or(() -> password);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("the password file " + passwordFile.get() + " " + e.getMessage(), e);
            }
        }

        /** Describes the database without the password. */
        @Override
        public String toString() {
            return SCHEME + user + "@" + String.join(",", hosts) + "/" + name;
        }
    }

    /**
     * Connections between the daemons of a database.
     *
     * @param bind at which the others reach this one; its port may be 0
     * @param files empty: not encrypted, which is for loopback addresses alone
     */
    public record Cluster(InetSocketAddress bind, Optional<PemFiles> files) {}

    /**
     * Certificate and key of a daemon, and the issuer that it accepts, as PEM files.
     *
     * @param certificate shown to the other side, whichever has connected
     */
    public record PemFiles(Path certificate, Path key, Path issuer) {}

    /** Block that the operator knows to be of the chain. */
    public record Checkpoint(long height, Hash256 blockId) {}

    /**
     * The embedded development node.
     *
     * @param blockInterval zero: blocks only on demand
     * @param seed makes the chain reproducible; empty: a fixed default
     * @param work whether its blocks have proof of work
     * @param prompt whether a new payment is in the very next block; a real node has assembled that block before
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
     * @param chain empty: there is none
     */
    public record Account(Optional<Evm> chain, EvmWords words) {}

    /**
     * Access to the account chain.
     *
     * @param urls endpoints, at least as many as the quorum
     * @param quorum number of endpoints that must agree
     * @param chainId id that every endpoint has to report
     * @param callTimeout time-out of one request to one endpoint
     * @param tokens contracts whose balances are shown
     * @param knownNonce nonce below which the operator vouches for every transaction of the key
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
        /** Final by a tag of the endpoints, {@code finalized} or {@code safe}. */
        record Tag(String word) implements EvmFinality {}

        /** Final with so many blocks on top of it. */
        record Blocks(long count) implements EvmFinality {}
    }

    /**
     * Words of the account chain in names of the interface (decisions.md, section 1); those of the default always work.
     *
     * @param brand word in the names of methods
     * @param nativeAsset word in directions of swaps
     */
    public record EvmWords(String brand, String nativeAsset) {
        public static final EvmWords DEFAULT = new EvmWords("evm", "native");
    }
}
