package org.chainwalletd.config;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Table of all options: key in the configuration file, form, default, bounds and meaning. The names of the flag and the variable derive from
 * the constant's name. The command line, the sample configuration and the manual page are generated from this table.
 */
public enum Option {
    BRAND(
            "chain.brand",
            Form.WORD.of("chain"),
            "brand word of the chain, five letters; signatures, sealed files and the node variable's name depend on it"),
    EXPECT_GENESIS(
            "chain.expect-genesis",
            Form.HASH.unset(),
            "genesis block id of the chain; a node that reports another one is never signed for. "
                    + "Without it the first id seen is pinned in the datadir"),
    NETWORK(
            "chain.network",
            Form.NETWORK.unset(),
            "which network of the chain it is; without it the nodes say it. A chain whose genesis block demands no work is"
                    + " followed only when this says devnet, or --expect-genesis names it"),
    DATADIR("datadir", Form.PATH.unset(), "folder of keyring, tokens and store; default ~/.<brand>-walletd"),
    JSON_LOGS("json-logs", Form.SWITCH.of("false"), "write the log as one JSON object per line"),

    NODE_RPC(
            "node.rpc",
            Form.URLS.of("http://127.0.0.1:9334"),
            "URLs of the chain's nodes; several make rotation and failover"),
    UPSTREAM_ATTEMPTS("node.attempts", Form.COUNT.of(4, 1, 100), "sweeps over all nodes before a call fails"),
    UPSTREAM_RETRY_BACKOFF_MS(
            "node.retry-backoff-ms", Form.MILLISECONDS.of(500, 0, 60_000), "base of the linear backoff between sweeps"),
    UPSTREAM_TIMEOUT_MS(
            "node.timeout-ms", Form.MILLISECONDS.of(10_000, 100, 600_000), "time for one request to one node"),
    UPSTREAM_MAX_ANSWER_BYTES(
            "node.max-answer-bytes",
            Form.BYTES.of(33_554_432, 65_536, 1_073_741_824),
            "longest answer that is read from a node"),
    UPSTREAM_MAX_CONNECTIONS(
            "node.max-connections", Form.COUNT.of(32, 1, 1_024), "connections at a time to one node; nodes allow 32"),
    INDEXER_RPC(
            "indexer.rpc",
            Form.URLS.unset(),
            "URLs of indexers; enables the methods that need one. Several make rotation and failover"),
    INDEXER_TOKEN("indexer.token", Form.SECRET.unset(), "bearer token that indexers ask for"),
    INDEXER_TOKEN_FILE("indexer.token-file", Form.PATH.unset(), "file that holds the indexers' bearer token"),

    SWAP_POOL("swap.pool", Form.URL.unset(), "URL of the pool that swaps are made with and that the lp methods ask"),
    SWAP_POOL_CA(
            "swap.pool-ca",
            Form.PATH.unset(),
            "PEM file with the certificate that the pool is trusted by; without it those of the system are"),

    VERIFY_WORK(
            "follow.verify-work", Form.SWITCH.of("true"), "compute the proof of work of the blocks that are followed"),
    CHECKPOINT(
            "follow.checkpoint",
            Form.BLOCK.unset(),
            "a block of the chain; where following begins for the first time it decides which chain is right, instead of "
                    + "all nodes having to agree; later it lets the books go over to a chain that shares no block with them, "
                    + "when they keep another block at that height"),
    FOLLOW_FROM(
            "follow.from",
            Form.HEIGHT.unset(),
            "height from which the books are made complete, in the background; full: the first block; now: only what comes, "
                    + "and nothing is read of keys that are older, unless rescan is called. "
                    + "Without it from the birth of the oldest key; of one that was not drawn here from the first block on"),
    FOLLOW_MAX_LAG(
            "follow.max-lag",
            Form.COUNT.of(30, 1, 1_000_000),
            "blocks that the followed tip may lie below the node's before /readyz says that the daemon is not ready"),
    OWN_COINS(
            "follow.own-coins",
            Form.COIN_SOURCE.of("node"),
            "who is asked first for the coins of an address: node, or ledger, the daemon's own books"),
    CREDITS_KEEP_DAYS(
            "follow.credits-keep-days",
            Form.COUNT.of(0, 0, 36_500),
            "days after which credits are forgotten, so that cursors from before are refused; 0 keeps them for ever. The last "
                    + "1000 blocks are kept in any case"),

    BIND("http.bind", Form.ADDRESS.of("127.0.0.1:7448"), "address and port to listen on"),
    TLS("http.tls", Form.SWITCH.of("false"), "serve HTTPS with a self-signed certificate made on first run"),
    TLS_SAN("http.tls-san", Form.WORDS.of(""), "further host names and IP addresses in the certificate"),
    HTTP2(
            "http.http2",
            Form.SWITCH.of("false"),
            "offer HTTP/2 beside HTTP/1.1: over TLS by ALPN, without it to clients that begin with its preface"),
    HTTP2_MAX_STREAMS(
            "http.http2-max-streams", Form.COUNT.of(256, 1, 10_000), "requests at a time on one HTTP/2 connection"),
    HTTP2_MAX_HEADER_BYTES(
            "http.http2-max-header-bytes",
            Form.BYTES.of(16_384, 1_024, 1_048_576),
            "longest list of header fields of an HTTP/2 request, decoded, names and values and 32 for each field"),
    HTTP2_MAX_CONTROL_PER_SEC(
            "http.http2-max-control-per-sec",
            Form.COUNT.of(100, 1, 1_000_000),
            "frames of each kind that carry no request any further (pings, settings, resets, empty or tiny frames) that an "
                    + "HTTP/2 connection may send in a second"),
    ALLOW_PUBLIC_BIND(
            "http.allow-public-bind",
            Form.SWITCH.of("false"),
            "assert that something in front of a public address terminates TLS"),
    AUTH_TOKEN_READ(
            "http.auth-token-read",
            Form.SECRET.unset(),
            "token of read scope; default: made on first run in <datadir>/token-read"),
    AUTH_TOKEN_MANAGE("http.auth-token-manage", Form.SECRET.unset(), "token of manage scope, likewise"),
    AUTH_TOKEN_SPEND("http.auth-token-spend", Form.SECRET.unset(), "token of spend scope, likewise"),
    CLASSIC_TOKENS(
            "http.classic-tokens",
            Form.CLASSIC_TOKENS.of("all"),
            "which of the three tokens that every daemon has are accepted beside those of token create"),
    NO_KEY_EXPORT(
            "http.no-key-export",
            Form.SWITCH.of("false"),
            "refuse the methods that give keys and phrases away (reveal_*, export_*) to every token"),
    MAX_HEAD_BYTES(
            "http.max-head-bytes",
            Form.BYTES.of(32_768, 1_024, 524_288),
            "longest head of a request: its first line and all fields"),
    MAX_BODY_BYTES("http.max-body-bytes", Form.BYTES.of(2_097_152, 1_024, 1_073_741_824), "longest request body"),
    MAX_BATCH("http.max-batch", Form.COUNT.of(1_000, 1, 1_000_000), "most items in a batch"),
    MAX_BATCH_ANSWER_BYTES(
            "http.max-batch-answer-bytes",
            Form.BYTES.of(16_777_216, 65_536, 1_073_741_824),
            "most that the answers of one batch may have together; items that come later get -32042"),
    BATCH_PARALLELISM("http.batch-parallelism", Form.COUNT.of(16, 1, 10_000), "items of one batch that run at a time"),
    MAX_CONNECTIONS("http.max-connections", Form.COUNT.of(16_384, 1, 1_000_000), "connections at a time"),
    MAX_CONNECTIONS_PER_ADDRESS(
            "http.max-connections-per-address",
            Form.COUNT.of(0, 0, 1_000_000),
            "connections at a time from one address, or one /64 of IPv6, that is no trusted proxy; 0: three quarters of max-connections"),
    MAX_HELD_BYTES(
            "http.max-held-bytes",
            Form.BYTES.of(0, 0, 1_099_511_627_776L),
            "most bytes of requests and unread answers that all clients together may make the daemon hold; 0, or more than that: at most a quarter of the heap, so that a third of the bytes of all peers is left to nodes"),
    HELD_PERCENT_PER_ADDRESS(
            "http.held-percent-per-address",
            Form.COUNT.of(50, 1, 100),
            "part of max-held-bytes, in percent, that one address may take that is no trusted proxy"),
    HELD_PERCENT_PER_CONNECTION(
            "http.held-percent-per-connection",
            Form.COUNT.of(25, 1, 100),
            "part of max-held-bytes, in percent, that one connection may take"),
    MAX_CONCURRENT_PER_TOKEN(
            "http.max-concurrent-per-token",
            Form.COUNT.of(16_384, 1, 1_000_000),
            "requests at a time with one token, from the head to the written answer, waits left out"),
    MAX_WAITS(
            "http.max-waits",
            Form.COUNT.of(20_000, 1, 1_000_000),
            "waits at a time, of all clients; one named token may have half of them"),
    HEAD_DEADLINE_SECS(
            "http.head-deadline-secs",
            Form.SECONDS.of(10, 1, 600),
            "time from the first byte of a request to its last one"),
    DRAIN_SECS(
            "http.drain-secs", Form.SECONDS.of(8, 0, 600), "time that running requests get when the daemon is stopped"),
    TRUSTED_PROXIES(
            "http.trusted-proxies",
            Form.NETWORKS.of(""),
            "IP addresses or networks of proxies whose X-Forwarded-For is believed"),
    METRICS_BIND(
            "http.metrics-bind",
            Form.ADDRESS.unset(),
            "address and port of a listener of its own for /metrics, without a token; default: on the main one, with the read token"),

    CONSOLE(
            "http.console",
            Form.SWITCH.of("false"),
            "serve a page about the daemon for people at /console; it asks for the read token"),

    SPEND_CAP_PER_TX("spend.cap-per-tx", Form.AMOUNT.unset(), "most that one transaction may spend, fee included"),
    SPEND_CAP_PER_PERIOD("spend.cap-per-period", Form.AMOUNT.unset(), "most that may be spent within a period"),
    SPEND_CAP_PERIOD_SECS(
            "spend.cap-period-secs", Form.SECONDS.of(86_400, 1, 31_622_400), "length of the period of the cap"),
    PAYOUT_FROM(
            "payout.from",
            Form.ADDRESSES.unset(),
            "addresses of this daemon that pay payouts when payout_submit names none"),
    PAYOUT_QUEUE_MAX(
            "payout.queue-max", Form.COUNT.of(100_000, 1, 10_000_000), "payouts that may be unfinished at a time"),
    PAYOUT_DELAY("payout.delay", Form.SECONDS.of(1, 0, 600), "time that the oldest payout of a batch waits for others"),
    PAYOUT_FEE_RATE(
            "payout.fee-rate",
            Form.COUNT.of(2, 1, 1_000_000),
            "base units per 100 cost units that batches of payouts pay; 1 is the consensus minimum, and last in a full mempool"),
    PAYOUT_COINS(
            "payout.coins",
            Form.COUNT.of(20, 1, 200),
            "usable coins that a paying address is to have; change of batches is split accordingly"),
    AUTO_RECLAIM(
            "htlc.auto-reclaim",
            Form.SWITCH.of("false"),
            "take own HTLC locks back when the followed chain is above their timeout and nobody has claimed them"),
    EVM_RPC(
            "evm.rpc",
            Form.URLS.unset(),
            "JSON-RPC endpoints of the account chain, best of several operators; enables what needs one"),
    EVM_CHAIN_ID(
            "evm.chain-id",
            Form.NUMBER.within(1, Long.MAX_VALUE),
            "chain id of the account chain, needed with --evm-rpc; an endpoint that reports another one is not used"),
    EVM_QUORUM(
            "evm.quorum",
            Form.COUNT.of(2, 1, 16),
            "endpoints that must agree on what matters; 1 trusts a single one and has to be written out"),
    EVM_TIMEOUT_MS(
            "evm.timeout-ms",
            Form.MILLISECONDS.of(10_000, 100, 60_000),
            "time for one request to one endpoint of the account chain"),
    EVM_TOKENS("evm.tokens", Form.EVM_ADDRESSES.unset(), "contracts of the tokens that evm_get_balances shows"),
    EVM_KNOWN_NONCE(
            "evm.known-nonce",
            Form.NUMBER.within(0, Long.MAX_VALUE),
            "all transactions of the account-chain key below this nonce are accounted for, whoever sent them; for a"
                    + " daemon that has stopped sending because of one that its journal does not know"),
    EVM_BRAND(
            "evm.brand",
            Form.WORD.of("evm"),
            "brand word of the account chain in the names of methods; the default names work beside it"),
    EVM_NATIVE(
            "evm.native",
            Form.WORD.of("native"),
            "word for the account chain's own asset in directions of swaps; the default one works beside it"),
    SWAP_EVM_FINALITY(
            "swap.evm-finality",
            Form.FINALITY.of("finalized"),
            "from when on a block of the account chain counts as final"),
    SWAP_CONTRACT(
            "swap.contract",
            Form.EVM_ADDRESS.unset(),
            "the contract that swaps lock money in; its code must not be changeable by anybody. Enables swaps, together with"
                    + " --swap-pool, --swap-contract-code-hash, --evm-rpc and --expect-genesis"),
    SWAP_CONTRACT_CODE_HASH(
            "swap.contract-code-hash",
            Form.HASH.unset(),
            "Keccak-256 of the contract's code, as somebody has read it; compared at the start and before each lock and each"
                    + " secret"),
    SWAP_CONTRACT_FROM_BLOCK(
            "swap.contract-from-block",
            Form.NUMBER.within(0, Long.MAX_VALUE),
            "block of the account chain with the contract's creation, where looking for own locks without a journal begins;"
                    + " without it at the first start with swaps"),
    SWAP_CHAIN_CONFIRMATIONS(
            "swap.chain-confirmations",
            Form.NUMBER.within(1, 720),
            "depth in blocks that a lock on the chain must have; without it the larger of 30 and what twice the amount is in"
                    + " block rewards"),
    SWAP_LOCK_BLOCKS(
            "swap.lock-blocks",
            Form.COUNT.of(4_320, 360, 100_000),
            "longest lock of our own in a sell, in blocks from the quote"),
    SWAP_LOCK_SECS(
            "swap.lock-secs",
            Form.SECONDS.of(43_200, 7_200, 1_000_000),
            "longest lock of our own in a buy, from the quote"),
    SWAP_EVM_MARGIN_SECS(
            "swap.evm-margin-secs",
            Form.SECONDS.of(3_600, 600, 86_400),
            "time that the pool's lock in the contract must have left when the secret leaves"),
    SWAP_CHAIN_MARGIN_BLOCKS(
            "swap.chain-margin-blocks",
            Form.COUNT.of(360, 60, 8_640),
            "blocks that the pool's lock on the chain must have left when the secret leaves"),
    SWAP_MAX_FEE_BPS(
            "swap.max-fee-bps",
            Form.COUNT.of(100, 0, 10_000),
            "highest fees of a quote, hundredths of a percent of its output, by the pool's own figures"),
    SWAP_MAX_IMPACT_BPS(
            "swap.max-impact-bps",
            Form.COUNT.of(500, 0, 10_000),
            "how far a quote may be below the pool's own price, hundredths of a percent; min_amount_out alone protects from a"
                    + " pool that names a wrong price"),
    SWAP_ALLOW_RELAY(
            "swap.allow-relay",
            Form.SWITCH.of("false"),
            "let the pool send our claim while the account-chain key has nothing to pay gas with; the pool is then trusted"
                    + " with the whole amount"),

    SWAP_LEAVE_OPEN(
            "swap.leave-open",
            Form.SWITCH.of("false"),
            "start without swaps although some are open: nobody claims or takes back their money before a start with swaps"),

    RESERVATION_TTL_SECS(
            "spend.reservation-ttl-secs",
            Form.SECONDS.of(600, 10, 86_400),
            "how long an outpoint stays reserved when nothing is heard of its transaction"),
    TOKEN_KEEP_DAYS(
            "spend.token-keep-days",
            Form.COUNT.of(30, 1, 366),
            "days for which a client token answers its receipt after its payment is settled; then it names a new payment"),
    SPENDS_KEEP_DAYS(
            "spend.spends-keep-days",
            Form.COUNT.of(0, 0, 36_500),
            "days for which list_spends tells of a payment after its last change, never shorter than its token is answered; 0: for"
                    + " ever"),
    RECEIPT_TTL_SECS(
            "spend.receipt-ttl-secs",
            Form.SECONDS.of(2_592_000, 60, 31_622_400),
            "the same as --token-keep-days, in seconds; the older name"),
    SHARED_KEYS(
            "spend.shared-keys",
            Form.SWITCH.of("false"),
            "another daemon has keys of this one: change carries a datum of 8 random bytes, so that the same payment of both is"
                    + " never one transaction"),
    STORE_RESTORED(
            "spend.store-restored",
            Form.SWITCH.of("false"),
            "start once with a store that is missing or older than the datadir remembers, completed by sent.log as far as that"
                    + " is there; like the command store restored --without sent.log"),
    STORE(
            "store.database",
            Form.STORE.of("sqlite"),
            "where payments are stored: sqlite, which is the file walletd.db in the datadir, or"
                    + " postgresql://user@host:port[,host:port]/database?sslmode=verify-full; the password has a place of its"
                    + " own"),
    STORE_PASSWORD_FILE(
            "store.password-file",
            Form.PATH.unset(),
            "file that holds the password of the database's user on one line, readable by nobody else; instead of the"
                    + " variable WALLETD_STORE_PASSWORD"),
    ADVERTISE_URL(
            "store.advertise-url",
            Form.URL.unset(),
            "URL at which the other daemons of the database, and their callers, reach this one; without it the address of --bind, or"
                    + " with 0.0.0.0 the name of the machine"),
    CLUSTER_BIND(
            "store.cluster-bind",
            Form.ADDRESS.unset(),
            "address and port at which the other daemons of the database reach this one for hints and forwarded calls (Pekko Cluster);"
                    + " without it there is none. Needs a certificate unless it is a loopback address"),
    CLUSTER_CERT(
            "store.cluster-cert",
            Form.PATH.unset(),
            "PEM file with the certificate by which the daemons of the database know each other; it must be of --cluster-ca, and all of"
                    + " them must have a name in common"),
    CLUSTER_KEY("store.cluster-key", Form.PATH.unset(), "PEM file with the key of --cluster-cert, not encrypted"),
    CLUSTER_CA(
            "store.cluster-ca",
            Form.PATH.unset(),
            "PEM file with the one issuer whose certificates are accepted between the daemons of the database"),
    REBROADCAST_INTERVAL_SECS(
            "spend.rebroadcast-interval-secs",
            Form.SECONDS.of(30, 1, 3_600),
            "how often unconfirmed transactions of our own are looked after"),

    PASSPHRASE_FILE(
            "keyring.passphrase-file",
            Form.PATH.unset(),
            "file that holds the keystore passphrase on one line, readable by nobody else; instead of the variable "
                    + "WALLETD_KEYSTORE_PASSPHRASE"),
    UNSEAL_THREADS(
            "keyring.unseal-threads",
            Form.COUNT.of(0, 0, 256),
            "Argon2id computations at a time, 64 MiB each; 0: as many as cores"),

    MAX_MINTS(
            "keyring.max-mints",
            Form.COUNT.of(64, 1, 100_000),
            "calls for new or imported keys that may be under way at a time, those that wait for their Argon2id included; more are "
                    + "refused (-32042)"),

    KEY_POOL(
            "keyring.pool",
            Form.COUNT.of(0, 0, 10_000),
            "standard keys that are sealed ahead of time, so that new addresses are given out at once"),

    DEVNET("devnet.enabled", Form.SWITCH.of("false"), "run a development node in this process and use it"),
    DEVNET_BIND(
            "devnet.bind",
            Form.ADDRESS.of("127.0.0.1:9334"),
            "address and port of the development node; its indexer takes the port above"),
    DEVNET_BLOCK_INTERVAL(
            "devnet.block-interval", Form.SECONDS.of(2, 0, 86_400), "time between its blocks; 0: only on demand"),
    DEVNET_QUOTAS("devnet.quotas", Form.SWITCH.of("false"), "give it the request quotas of a public node"),
    DEVNET_SEED("devnet.seed", Form.NUMBER.within(Long.MIN_VALUE, Long.MAX_VALUE), "makes its chain reproducible"),
    DEVNET_WORK(
            "devnet.work",
            Form.SWITCH.of("false"),
            "give its blocks proof of work, as on a test network: about 16 hashes, a second or two, for each"),
    DEVNET_PROMPT(
            "devnet.prompt",
            Form.SWITCH.of("false"),
            "let its next block take every payment that came before it; a block of a real node was put together when the one before it"
                    + " arrived, so that a payment is still pending after a tip");

    /** Options that most installations need; the others are for tuning, or for rarely used parts. */
    private static final Set<Option> COMMON = EnumSet.of(
            DATADIR,
            PASSPHRASE_FILE,
            EXPECT_GENESIS,
            NETWORK,
            NODE_RPC,
            INDEXER_RPC,
            CHECKPOINT,
            FOLLOW_FROM,
            BIND,
            ALLOW_PUBLIC_BIND,
            TLS,
            TLS_SAN,
            TRUSTED_PROXIES,
            METRICS_BIND,
            SPEND_CAP_PER_TX,
            SPEND_CAP_PER_PERIOD,
            SPEND_CAP_PERIOD_SECS,
            EVM_RPC,
            SWAP_POOL,
            JSON_LOGS,
            DEVNET);

    /** Prefix of all keys of the configuration file. */
    public static final String ROOT = "walletd";

    /** Syntax of a value. */
    public enum Form {
        SWITCH("", "true or false"),
        WORD("word", "a word"),
        WORDS("list", "a comma-separated list"),
        NETWORKS("list", "a comma-separated list of IP addresses and networks such as 10.0.0.0/8"),
        SECRET("token", "printable ASCII without spaces, best 64 random hex characters"),
        NETWORK("mainnet|testnet|devnet", "mainnet, testnet or devnet"),
        CLASSIC_TOKENS("all|read|none", "all, read or none"),
        HASH("hex64", "64 hex characters"),
        BLOCK("height:hex64", "a height and a block id"),
        HEIGHT("height", "a height, full or now"),
        COIN_SOURCE("node|ledger", "node or ledger"),
        EVM_ADDRESSES("list", "a comma-separated list of addresses, 0x and 40 hex characters each"),
        EVM_ADDRESS("address", "an address, 0x and 40 hex characters"),
        FINALITY("finality", "finalized, safe or a number of blocks"),
        ADDRESSES("list", "a comma-separated list of addresses, 64 hex characters each"),
        STORE("sqlite|url", "sqlite or a postgresql URL"),
        PATH("path", "a path"),
        ADDRESS("host:port", "host:port, [ipv6]:port"),
        URL("url", "an http or https URL"),
        URLS("urls", "a comma-separated list of http or https URLs"),
        COUNT("n", "a number"),
        NUMBER("n", "a number"),
        BYTES("bytes", "bytes"),
        MILLISECONDS("ms", "milliseconds"),
        SECONDS("secs", "seconds"),
        AMOUNT("amount", "base units");

        private final String label;
        private final String unit;

        Form(String label, String unit) {
            this.label = label;
            this.unit = unit;
        }

        private Value of(String standard) {
            return new Value(this, Optional.of(standard), 0, Long.MAX_VALUE);
        }

        private Value of(long standard, long least, long most) {
            return new Value(this, Optional.of(String.valueOf(standard)), least, most);
        }

        private Value within(long least, long most) {
            return new Value(this, Optional.empty(), least, most);
        }

        private Value unset() {
            return within(0, Long.MAX_VALUE);
        }

        /** Name of the value in help texts; empty if the flag takes none. */
        public String label() {
            return label;
        }

        /** Unit or kind of the value, in words. */
        public String unit() {
            return unit;
        }
    }

    /** Default of an option, and the bounds of a number. */
    private record Value(Form form, Optional<String> standard, long least, long most) {}

    private final String key;
    private final Value value;
    private final String help;

    Option(String key, Value value, String help) {
        this.key = ROOT + "." + key;
        this.value = value;
        this.help = help;
    }

    /** Name of the flag, including both dashes. */
    public String flag() {
        return "--" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Name of the environment variable.
     *
     * @param brand part of the name of the node's variable (decisions.md, section 1)
     */
    public String variable(String brand) {
        return this == NODE_RPC ? brand.toUpperCase(Locale.ROOT) + "_NODE_RPC" : "WALLETD_" + name();
    }

    /** Full key in the configuration file. */
    public String key() {
        return key;
    }

    public Form form() {
        return value.form();
    }

    /** Default as text that could be configured; empty if there is no fixed default. */
    public Optional<String> defaultText() {
        return value.standard();
    }

    /** Meaning of the option, as a clause without a full stop. */
    public String help() {
        return help;
    }

    /** Smallest number allowed. */
    public long least() {
        return value.least();
    }

    /** Largest number allowed. */
    public long most() {
        return value.most();
    }

    /** Whether {@code --help} shows it; {@code --help all} shows all options. */
    public boolean isCommon() {
        return COMMON.contains(this);
    }

    public static List<Option> all() {
        return List.of(values());
    }

    /** Finds an option by its flag, including both dashes. */
    public static Optional<Option> ofFlag(String flag) {
        return Arrays.stream(values())
                .filter(option -> option.flag().equals(flag))
                .findFirst();
    }

    static Optional<Option> ofKey(String key) {
        return Arrays.stream(values()).filter(option -> option.key.equals(key)).findFirst();
    }
}
