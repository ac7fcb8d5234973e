package org.chainwalletd.config;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Table of all settings: flag, variable, key in the configuration file, form, default and meaning. The command line, the sample configuration and the
 * manual page are made from this table.
 */
public enum Option {
    BRAND(
            "brand",
            "chain.brand",
            Form.WORD,
            "chain",
            "brand word of the chain, five letters; signatures, sealed files and the node variable's name depend on it"),
    EXPECT_GENESIS(
            "expect-genesis",
            "chain.expect-genesis",
            Form.HASH,
            "genesis block id of the chain; a node that reports another one is never signed for. "
                    + "Without it the first id seen is pinned in the datadir"),
    NETWORK(
            "network",
            "chain.network",
            Form.NETWORK,
            "which network of the chain it is; without it the nodes say it. A chain whose genesis block demands no work is"
                    + " followed only when this says devnet, or --expect-genesis names it"),
    DATADIR("datadir", "datadir", Form.PATH, "folder of keyring, tokens and store; default ~/.<brand>-walletd"),
    JSON_LOGS("json-logs", "json-logs", Form.SWITCH, "false", "write the log as one JSON object per line"),

    NODE_RPC(
            "node-rpc",
            "node.rpc",
            Form.URLS,
            "http://127.0.0.1:9334",
            "URLs of the chain's nodes; several make rotation and failover"),
    UPSTREAM_ATTEMPTS(
            "upstream-attempts", "node.attempts", Form.COUNT, "4", "sweeps over all nodes before a call fails", 1, 100),
    UPSTREAM_RETRY_BACKOFF(
            "upstream-retry-backoff-ms",
            "node.retry-backoff-ms",
            Form.MILLISECONDS,
            "500",
            "base of the linear backoff between sweeps",
            0,
            60_000),
    UPSTREAM_TIMEOUT(
            "upstream-timeout-ms",
            "node.timeout-ms",
            Form.MILLISECONDS,
            "10000",
            "time for one request to one node",
            100,
            600_000),
    UPSTREAM_MAX_ANSWER(
            "upstream-max-answer-bytes",
            "node.max-answer-bytes",
            Form.BYTES,
            "33554432",
            "longest answer that is read from a node",
            65_536,
            1_073_741_824),
    UPSTREAM_MAX_CONNECTIONS(
            "upstream-max-connections",
            "node.max-connections",
            Form.COUNT,
            "32",
            "connections at a time to one node; nodes allow 32",
            1,
            1_024),
    INDEXER_RPC(
            "indexer-rpc",
            "indexer.rpc",
            Form.URLS,
            "URLs of indexers; enables the methods that need one. Several make rotation and failover"),
    INDEXER_TOKEN("indexer-token", "indexer.token", Form.SECRET, "bearer token that indexers ask for"),
    INDEXER_TOKEN_FILE(
            "indexer-token-file", "indexer.token-file", Form.PATH, "file that holds the indexers' bearer token"),

    SWAP_POOL(
            "swap-pool", "swap.pool", Form.URL, "URL of the pool that swaps are made with and that the lp methods ask"),
    SWAP_POOL_CA(
            "swap-pool-ca",
            "swap.pool-ca",
            Form.PATH,
            "PEM file with the certificate that the pool is trusted by; without it those of the system are"),

    VERIFY_WORK(
            "verify-work",
            "follow.verify-work",
            Form.SWITCH,
            "true",
            "compute the proof of work of the blocks that are followed"),
    CHECKPOINT(
            "checkpoint",
            "follow.checkpoint",
            Form.BLOCK,
            "a block of the chain; where following begins for the first time it decides which chain is right, instead of "
                    + "all nodes having to agree; later it lets the books go over to a chain that shares no block with them, "
                    + "when they keep another block at that height"),
    FOLLOW_FROM(
            "follow-from",
            "follow.from",
            Form.HEIGHT,
            "height from which the books are made complete, in the background; full: the first block; now: only what comes, "
                    + "and nothing is read of keys that are older, unless rescan is called. "
                    + "Without it from the birth of the oldest key; of one that was not drawn here from the first block on"),
    FOLLOW_MAX_LAG(
            "follow-max-lag",
            "follow.max-lag",
            Form.COUNT,
            "30",
            "blocks that the followed tip may lie below the node's before /readyz says that the daemon is not ready",
            1,
            1_000_000),
    OWN_COINS(
            "own-coins",
            "follow.own-coins",
            Form.COIN_SOURCE,
            "node",
            "who is asked first for the coins of an address: node, or ledger, the daemon's own books"),
    CREDITS_KEEP_DAYS(
            "credits-keep-days",
            "follow.credits-keep-days",
            Form.COUNT,
            "0",
            "days after which credits are forgotten, so that cursors from before are refused; 0 keeps them for ever. The last "
                    + "1000 blocks are kept in any case",
            0,
            36_500),

    BIND("bind", "http.bind", Form.ADDRESS, "127.0.0.1:7448", "address and port to listen on"),
    TLS("tls", "http.tls", Form.SWITCH, "false", "serve HTTPS with a self-signed certificate made on first run"),
    TLS_SAN("tls-san", "http.tls-san", Form.WORDS, "", "further host names and IP addresses in the certificate"),
    HTTP2(
            "http2",
            "http.http2",
            Form.SWITCH,
            "false",
            "offer HTTP/2 beside HTTP/1.1: over TLS by ALPN, without it to clients that begin with its preface"),
    HTTP2_MAX_STREAMS(
            "http2-max-streams",
            "http.http2-max-streams",
            Form.COUNT,
            "256",
            "requests at a time on one HTTP/2 connection",
            1,
            10_000),
    HTTP2_MAX_HEADER(
            "http2-max-header-bytes",
            "http.http2-max-header-bytes",
            Form.BYTES,
            "16384",
            "longest list of header fields of an HTTP/2 request, decoded, names and values and 32 for each field",
            1_024,
            1_048_576),
    HTTP2_MAX_CONTROL(
            "http2-max-control-per-sec",
            "http.http2-max-control-per-sec",
            Form.COUNT,
            "100",
            "frames of each kind that carry no request any further (pings, settings, resets, empty or tiny frames) that an "
                    + "HTTP/2 connection may send in a second",
            1,
            1_000_000),
    ALLOW_PUBLIC_BIND(
            "allow-public-bind",
            "http.allow-public-bind",
            Form.SWITCH,
            "false",
            "assert that something in front of a public address terminates TLS"),
    AUTH_TOKEN_READ(
            "auth-token-read",
            "http.auth-token-read",
            Form.SECRET,
            "token of read scope; default: made on first run in <datadir>/token-read"),
    AUTH_TOKEN_MANAGE("auth-token-manage", "http.auth-token-manage", Form.SECRET, "token of manage scope, likewise"),
    AUTH_TOKEN_SPEND("auth-token-spend", "http.auth-token-spend", Form.SECRET, "token of spend scope, likewise"),
    CLASSIC_TOKENS(
            "classic-tokens",
            "http.classic-tokens",
            Form.CLASSIC_TOKENS,
            "all",
            "which of the three tokens that every daemon has are accepted beside those of token create"),
    NO_KEY_EXPORT(
            "no-key-export",
            "http.no-key-export",
            Form.SWITCH,
            "false",
            "refuse the methods that give keys and phrases away (reveal_*, export_*) to every token"),
    MAX_HEAD(
            "max-head-bytes",
            "http.max-head-bytes",
            Form.BYTES,
            "32768",
            "longest head of a request: its first line and all fields",
            1_024,
            524_288),
    MAX_BODY(
            "max-body-bytes",
            "http.max-body-bytes",
            Form.BYTES,
            "2097152",
            "longest request body",
            1_024,
            1_073_741_824),
    MAX_BATCH("max-batch", "http.max-batch", Form.COUNT, "1000", "most items in a batch", 1, 1_000_000),
    MAX_BATCH_ANSWER(
            "max-batch-answer-bytes",
            "http.max-batch-answer-bytes",
            Form.BYTES,
            "16777216",
            "most that the answers of one batch may have together; items that come later get -32042",
            65_536,
            1_073_741_824),
    BATCH_PARALLELISM(
            "batch-parallelism",
            "http.batch-parallelism",
            Form.COUNT,
            "16",
            "items of one batch that run at a time",
            1,
            10_000),
    MAX_CONNECTIONS(
            "max-connections", "http.max-connections", Form.COUNT, "16384", "connections at a time", 1, 1_000_000),
    MAX_CONNECTIONS_PER_ADDRESS(
            "max-connections-per-address",
            "http.max-connections-per-address",
            Form.COUNT,
            "0",
            "connections at a time from one address, or one /64 of IPv6, that is no trusted proxy; 0: three quarters of max-connections",
            0,
            1_000_000),
    MAX_HELD(
            "max-held-bytes",
            "http.max-held-bytes",
            Form.BYTES,
            "0",
            "most bytes of requests and unread answers that all clients together may make the daemon hold; 0: a quarter of the heap",
            0,
            1_099_511_627_776L),
    HELD_PER_ADDRESS(
            "held-percent-per-address",
            "http.held-percent-per-address",
            Form.COUNT,
            "50",
            "part of max-held-bytes, in percent, that one address may take that is no trusted proxy",
            1,
            100),
    HELD_PER_CONNECTION(
            "held-percent-per-connection",
            "http.held-percent-per-connection",
            Form.COUNT,
            "25",
            "part of max-held-bytes, in percent, that one connection may take",
            1,
            100),
    MAX_CONCURRENT_PER_TOKEN(
            "max-concurrent-per-token",
            "http.max-concurrent-per-token",
            Form.COUNT,
            "16384",
            "requests at a time with one token, from the head to the written answer, waits left out",
            1,
            1_000_000),
    MAX_WAITS(
            "max-waits",
            "http.max-waits",
            Form.COUNT,
            "20000",
            "waits at a time, of all clients; one named token may have half of them",
            1,
            1_000_000),
    HEAD_DEADLINE(
            "head-deadline-secs",
            "http.head-deadline-secs",
            Form.SECONDS,
            "10",
            "time from the first byte of a request to its last one",
            1,
            600),
    DRAIN(
            "drain-secs",
            "http.drain-secs",
            Form.SECONDS,
            "8",
            "time that running requests get when the daemon is stopped",
            0,
            600),
    TRUSTED_PROXIES(
            "trusted-proxies",
            "http.trusted-proxies",
            Form.NETWORKS,
            "",
            "IP addresses or networks of proxies whose X-Forwarded-For is believed"),
    METRICS_BIND(
            "metrics-bind",
            "http.metrics-bind",
            Form.ADDRESS,
            "address and port of a listener of its own for /metrics, without a token; default: on the main one, with the read token"),

    CONSOLE(
            "console",
            "http.console",
            Form.SWITCH,
            "false",
            "serve a page about the daemon for people at /console; it asks for the read token"),

    SPEND_CAP_PER_TX(
            "spend-cap-per-tx", "spend.cap-per-tx", Form.AMOUNT, "most that one transaction may spend, fee included"),
    SPEND_CAP_PER_PERIOD(
            "spend-cap-per-period", "spend.cap-per-period", Form.AMOUNT, "most that may be spent within a period"),
    SPEND_CAP_PERIOD(
            "spend-cap-period-secs",
            "spend.cap-period-secs",
            Form.SECONDS,
            "86400",
            "length of the period of the cap",
            1,
            31_622_400),
    PAYOUT_FROM(
            "payout-from",
            "payout.from",
            Form.ADDRESSES,
            "addresses of this daemon that pay payouts when payout_submit names none"),
    PAYOUT_QUEUE_MAX(
            "payout-queue-max",
            "payout.queue-max",
            Form.COUNT,
            "100000",
            "payouts that may be unfinished at a time",
            1,
            10_000_000),
    PAYOUT_DELAY(
            "payout-delay",
            "payout.delay",
            Form.SECONDS,
            "1",
            "time that the oldest payout of a batch waits for others",
            0,
            600),
    PAYOUT_FEE_RATE(
            "payout-fee-rate",
            "payout.fee-rate",
            Form.COUNT,
            "2",
            "base units per 100 cost units that batches of payouts pay; 1 is the consensus minimum, and last in a full mempool",
            1,
            1_000_000),
    PAYOUT_COINS(
            "payout-coins",
            "payout.coins",
            Form.COUNT,
            "20",
            "usable coins that a paying address is to have; change of batches is split accordingly",
            1,
            200),
    AUTO_RECLAIM(
            "auto-reclaim",
            "htlc.auto-reclaim",
            Form.SWITCH,
            "false",
            "take own HTLC locks back when the followed chain is above their timeout and nobody has claimed them"),
    EVM_RPC(
            "evm-rpc",
            "evm.rpc",
            Form.URLS,
            "JSON-RPC endpoints of the account chain, best of several operators; enables what needs one"),
    EVM_CHAIN_ID(
            "evm-chain-id",
            "evm.chain-id",
            Form.NUMBER,
            "chain id of the account chain, needed with --evm-rpc; an endpoint that reports another one is not used",
            1,
            Long.MAX_VALUE),
    EVM_QUORUM(
            "evm-quorum",
            "evm.quorum",
            Form.COUNT,
            "2",
            "endpoints that must agree on what matters; 1 trusts a single one and has to be written out",
            1,
            16),
    EVM_TIMEOUT(
            "evm-timeout-ms",
            "evm.timeout-ms",
            Form.MILLISECONDS,
            "10000",
            "time for one request to one endpoint of the account chain",
            100,
            60_000),
    EVM_TOKENS("evm-tokens", "evm.tokens", Form.EVM_ADDRESSES, "contracts of the tokens that evm_get_balances shows"),
    EVM_KNOWN_NONCE(
            "evm-known-nonce",
            "evm.known-nonce",
            Form.NUMBER,
            "all transactions of the account-chain key below this nonce are accounted for, whoever sent them; for a"
                    + " daemon that has stopped sending because of one that its journal does not know",
            0,
            Long.MAX_VALUE),
    EVM_BRAND(
            "evm-brand",
            "evm.brand",
            Form.WORD,
            "evm",
            "brand word of the account chain in the names of methods; the default names work beside it"),
    EVM_NATIVE(
            "evm-native",
            "evm.native",
            Form.WORD,
            "native",
            "word for the account chain's own asset in directions of swaps; the default one works beside it"),
    SWAP_EVM_FINALITY(
            "swap-evm-finality",
            "swap.evm-finality",
            Form.FINALITY,
            "finalized",
            "from when on a block of the account chain counts as final"),
    SWAP_CONTRACT(
            "swap-contract",
            "swap.contract",
            Form.EVM_ADDRESS,
            "the contract that swaps lock money in; its code must not be changeable by anybody. Enables swaps, together with"
                    + " --swap-pool, --swap-contract-code-hash, --evm-rpc and --expect-genesis"),
    SWAP_CONTRACT_CODE_HASH(
            "swap-contract-code-hash",
            "swap.contract-code-hash",
            Form.HASH,
            "Keccak-256 of the contract's code, as somebody has read it; compared at the start and before each lock and each"
                    + " secret"),
    SWAP_CONTRACT_FROM_BLOCK(
            "swap-contract-from-block",
            "swap.contract-from-block",
            Form.NUMBER,
            "block of the account chain with the contract's creation, where looking for own locks without a journal begins;"
                    + " without it at the first start with swaps",
            0,
            Long.MAX_VALUE),
    SWAP_CHAIN_CONFIRMATIONS(
            "swap-chain-confirmations",
            "swap.chain-confirmations",
            Form.NUMBER,
            "depth in blocks that a lock on the chain must have; without it the larger of 30 and what twice the amount is in"
                    + " block rewards",
            1,
            720),
    SWAP_LOCK_BLOCKS(
            "swap-lock-blocks",
            "swap.lock-blocks",
            Form.COUNT,
            "4320",
            "longest lock of our own in a sell, in blocks from the quote",
            360,
            100_000),
    SWAP_LOCK_SECS(
            "swap-lock-secs",
            "swap.lock-secs",
            Form.SECONDS,
            "43200",
            "longest lock of our own in a buy, from the quote",
            7_200,
            1_000_000),
    SWAP_EVM_MARGIN(
            "swap-evm-margin-secs",
            "swap.evm-margin-secs",
            Form.SECONDS,
            "3600",
            "time that the pool's lock in the contract must have left when the secret leaves",
            600,
            86_400),
    SWAP_CHAIN_MARGIN(
            "swap-chain-margin-blocks",
            "swap.chain-margin-blocks",
            Form.COUNT,
            "360",
            "blocks that the pool's lock on the chain must have left when the secret leaves",
            60,
            8_640),
    SWAP_MAX_FEE_BPS(
            "swap-max-fee-bps",
            "swap.max-fee-bps",
            Form.COUNT,
            "100",
            "highest fees of a quote, hundredths of a percent of its output, by the pool's own figures",
            0,
            10_000),
    SWAP_MAX_IMPACT_BPS(
            "swap-max-impact-bps",
            "swap.max-impact-bps",
            Form.COUNT,
            "500",
            "how far a quote may be below the pool's own price, hundredths of a percent; min_amount_out alone protects from a"
                    + " pool that names a wrong price",
            0,
            10_000),
    SWAP_ALLOW_RELAY(
            "swap-allow-relay",
            "swap.allow-relay",
            Form.SWITCH,
            "false",
            "let the pool send our claim while the account-chain key has nothing to pay gas with; the pool is then trusted"
                    + " with the whole amount"),

    SWAP_LEAVE_OPEN(
            "swap-leave-open",
            "swap.leave-open",
            Form.SWITCH,
            "false",
            "start without swaps although some are open: nobody claims or takes back their money before a start with swaps"),

    RESERVATION_TTL(
            "reservation-ttl-secs",
            "spend.reservation-ttl-secs",
            Form.SECONDS,
            "600",
            "how long an outpoint stays reserved when nothing is heard of its transaction",
            10,
            86_400),
    TOKEN_KEEP_DAYS(
            "token-keep-days",
            "spend.token-keep-days",
            Form.COUNT,
            "30",
            "days for which a client token answers its receipt after its payment is settled; then it names a new payment",
            1,
            366),
    SPENDS_KEEP_DAYS(
            "spends-keep-days",
            "spend.spends-keep-days",
            Form.COUNT,
            "0",
            "days for which list_spends tells of a payment after its last change, never shorter than its token is answered; 0: for"
                    + " ever",
            0,
            36_500),
    RECEIPT_TTL(
            "receipt-ttl-secs",
            "spend.receipt-ttl-secs",
            Form.SECONDS,
            "2592000",
            "the same as --token-keep-days, in seconds; the older name",
            60,
            31_622_400),
    SHARED_KEYS(
            "shared-keys",
            "spend.shared-keys",
            Form.SWITCH,
            "false",
            "another daemon has keys of this one: change carries a datum of 8 random bytes, so that the same payment of both is"
                    + " never one transaction"),
    STORE_RESTORED(
            "store-restored",
            "spend.store-restored",
            Form.SWITCH,
            "false",
            "start once with a store that is missing or older than the datadir remembers, completed by sent.log as far as that"
                    + " is there; like the command store restored --without sent.log"),
    STORE(
            "store",
            "store.database",
            Form.STORE,
            "sqlite",
            "where payments are stored: sqlite, which is the file walletd.db in the datadir, or"
                    + " postgresql://user@host:port[,host:port]/database?sslmode=verify-full; the password has a place of its"
                    + " own"),
    STORE_PASSWORD_FILE(
            "store-password-file",
            "store.password-file",
            Form.PATH,
            "file that holds the password of the database's user on one line, readable by nobody else; instead of the"
                    + " variable WALLETD_STORE_PASSWORD"),
    ADVERTISE_URL(
            "advertise-url",
            "store.advertise-url",
            Form.URL,
            "URL at which the other daemons of the database, and their callers, reach this one; without it the address of --bind, or"
                    + " with 0.0.0.0 the name of the machine"),
    CLUSTER_BIND(
            "cluster-bind",
            "store.cluster-bind",
            Form.ADDRESS,
            "address and port at which the other daemons of the database reach this one for hints and forwarded calls (Pekko Cluster);"
                    + " without it there is none. Needs a certificate unless it is a loopback address"),
    CLUSTER_CERT(
            "cluster-cert",
            "store.cluster-cert",
            Form.PATH,
            "PEM file with the certificate by which the daemons of the database know each other; it must be of --cluster-ca, and all of"
                    + " them must have a name in common"),
    CLUSTER_KEY(
            "cluster-key", "store.cluster-key", Form.PATH, "PEM file with the key of --cluster-cert, not encrypted"),
    CLUSTER_CA(
            "cluster-ca",
            "store.cluster-ca",
            Form.PATH,
            "PEM file with the one issuer whose certificates are accepted between the daemons of the database"),
    REBROADCAST_INTERVAL(
            "rebroadcast-interval-secs",
            "spend.rebroadcast-interval-secs",
            Form.SECONDS,
            "30",
            "how often unconfirmed transactions of our own are looked after",
            1,
            3_600),

    PASSPHRASE_FILE(
            "passphrase-file",
            "keyring.passphrase-file",
            Form.PATH,
            "file that holds the keystore passphrase on one line, readable by nobody else; instead of the variable "
                    + "WALLETD_KEYSTORE_PASSPHRASE"),
    UNSEAL_THREADS(
            "unseal-threads",
            "keyring.unseal-threads",
            Form.COUNT,
            "0",
            "Argon2id computations at a time, 64 MiB each; 0: as many as cores",
            0,
            256),

    MAX_MINTS(
            "max-mints",
            "keyring.max-mints",
            Form.COUNT,
            "64",
            "calls for new or imported keys that may be under way at a time, those that wait for their Argon2id included; more are "
                    + "refused (-32042)",
            1,
            100_000),

    KEY_POOL(
            "key-pool",
            "keyring.pool",
            Form.COUNT,
            "0",
            "standard keys that are sealed ahead of time, so that new addresses are given out at once",
            0,
            10_000),

    DEVNET("devnet", "devnet.enabled", Form.SWITCH, "false", "run a development node in this process and use it"),
    DEVNET_BIND(
            "devnet-bind",
            "devnet.bind",
            Form.ADDRESS,
            "127.0.0.1:9334",
            "address and port of the development node; its indexer takes the port above"),
    DEVNET_BLOCK_INTERVAL(
            "devnet-block-interval",
            "devnet.block-interval",
            Form.SECONDS,
            "2",
            "time between its blocks; 0: only on demand",
            0,
            86_400),
    DEVNET_QUOTAS(
            "devnet-quotas", "devnet.quotas", Form.SWITCH, "false", "give it the request quotas of a public node"),
    DEVNET_SEED("devnet-seed", "devnet.seed", Form.NUMBER, "makes its chain reproducible"),
    DEVNET_WORK(
            "devnet-work",
            "devnet.work",
            Form.SWITCH,
            "false",
            "give its blocks proof of work, as on a test network: about 16 hashes, a second or two, for each"),
    DEVNET_PROMPT(
            "devnet-prompt",
            "devnet.prompt",
            Form.SWITCH,
            "false",
            "let its next block take every payment that came before it; a block of a real node was put together when the one before it"
                    + " arrived, so that a payment is still pending after a tip");

    /** Options that most installations need; the others tune or belong to a part that few use. */
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
            SPEND_CAP_PERIOD,
            EVM_RPC,
            SWAP_POOL,
            JSON_LOGS,
            DEVNET);

    /** Prefix of all keys of the configuration file. */
    public static final String ROOT = "walletd";

    /** Notation of a value. */
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

        /** Name of the value in help texts; empty when a flag takes none. */
        public String label() {
            return label;
        }

        /** Unit or kind of the value, in words. */
        public String unit() {
            return unit;
        }
    }

    private final String flag;
    private final String key;
    private final Form form;
    private final Optional<String> defaultText;
    private final String help;
    private final long least;
    private final long most;

    /** Creates an option without a fixed default. */
    Option(String flag, String key, Form form, String help) {
        this(flag, key, form, help, 0, Long.MAX_VALUE);
    }

    /** Creates an option without a fixed default. */
    Option(String flag, String key, Form form, String help, long least, long most) {
        this(flag, key, form, Optional.empty(), help, least, most);
    }

    Option(String flag, String key, Form form, String defaultText, String help) {
        this(flag, key, form, defaultText, help, 0, Long.MAX_VALUE);
    }

    Option(String flag, String key, Form form, String defaultText, String help, long least, long most) {
        this(flag, key, form, Optional.of(defaultText), help, least, most);
    }

    Option(String flag, String key, Form form, Optional<String> defaultText, String help, long least, long most) {
        this.flag = "--" + flag;
        this.key = "walletd." + key;
        this.form = form;
        this.defaultText = defaultText;
        this.help = help;
        this.least = least;
        this.most = most;
    }

    /** Name of the flag, with both dashes. */
    public String flag() {
        return flag;
    }

    /**
     * Name of the environment variable.
     *
     * @param brand the node's variable carries it (decisions.md, section 1)
     */
    public String variable(String brand) {
        return this == NODE_RPC
                ? brand.toUpperCase(Locale.ROOT) + "_NODE_RPC"
                : "WALLETD_" + flag.substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** Full key in the configuration file. */
    public String key() {
        return key;
    }

    public Form form() {
        return form;
    }

    /** Text of the default as one would write it; empty when there is no fixed default. */
    public Optional<String> defaultText() {
        return defaultText;
    }

    /** Meaning of the option, a clause without a full stop. */
    public String help() {
        return help;
    }

    /** Smallest number allowed. */
    public long least() {
        return least;
    }

    /** Largest number allowed. */
    public long most() {
        return most;
    }

    /** Whether {@code --help} shows it; the others stand in {@code --help all}. */
    public boolean isCommon() {
        return COMMON.contains(this);
    }

    public static List<Option> all() {
        return List.of(values());
    }

    /** Finds the option of a flag with both dashes. */
    public static Optional<Option> ofFlag(String flag) {
        return Arrays.stream(values())
                .filter(option -> option.flag.equals(flag))
                .findFirst();
    }

    static Optional<Option> ofKey(String key) {
        return Arrays.stream(values()).filter(option -> option.key.equals(key)).findFirst();
    }
}
