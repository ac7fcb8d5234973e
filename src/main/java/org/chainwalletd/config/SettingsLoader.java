package org.chainwalletd.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.evm.EvmAddress;

/**
 * Loader of the {@link Settings} from flags, environment, configuration file and defaults. Validates everything and reports all problems at
 * once. Reads the configuration file and the indexers' token file, and resolves host names; writes nothing.
 */
public final class SettingsLoader {
    public static final String CONFIG_FLAG = "--config";
    public static final String CONFIG_VARIABLE = "WALLETD_CONFIG";
    /** Name of the configuration file in the datadir, which is read if no file is configured. */
    public static final String FILE_NAME = "walletd.conf";

    private static final int SHORT_TOKEN = 32;
    /** Minimum number of confirmations of a lock without a warning. */
    private static final long USUAL_DEPTH = 30;

    private static final EvmAddress NOWHERE = EvmAddress.of(new byte[EvmAddress.LENGTH]);

    /** Placeholder for an invalid address; never used, because loading fails if there is any problem. */
    private static final InetSocketAddress NOT_READ = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final Sources sources;
    private final OptionValues values;

    private SettingsLoader(Map<String, String> flags, Map<String, String> environment, Path home) {
        this.sources = new Sources(flags, environment, home, problems, warnings);
        this.values = new OptionValues(sources, problems, warnings);
    }

    /**
     * Returns the variables that are set. An empty variable counts as not set, because a service manager or a compose file leaves one for a
     * missing value. An empty token is kept and then refused: an operator who sets one does not want the daemon to create its own.
     */
    public static Map<String, String> effectiveVariables(Map<String, String> environment) {
        Map<String, String> set = new HashMap<>(environment);
        set.entrySet().removeIf(variable -> variable.getValue().isEmpty() && !isSecret(variable.getKey()));
        return set;
    }

    private static boolean isSecret(String variable) {
        return Option.all().stream()
                .anyMatch(option -> option.form() == Option.Form.SECRET
                        && option.variable("chain").equals(variable));
    }

    /**
     * @param flags value by flag name with dashes; {@code "true"} for a switch without a value
     * @param environment variables, such as {@link System#getenv()}
     * @param home the user's home folder
     * @throws ConfigurationException with all problems
     */
    public static Configuration load(Map<String, String> flags, Map<String, String> environment, Path home) {
        return new SettingsLoader(flags, environment, home).load();
    }

    private Configuration load() {
        sources.read();
        ChainProfile chain = values.value(Option.BRAND, ChainProfile::of).orElse(ChainProfile.of("chain"));
        Path datadir = datadir();
        Optional<Settings.Devnet> devnet = devnet(datadir);
        Optional<Hash256> genesis = values.value(Option.EXPECT_GENESIS, Parsing::hash);
        Optional<Settings.Evm> evm = evm();
        Settings settings = new Settings(
                new Settings.ChainIdentity(chain, genesis, network(devnet)),
                datadir,
                node(devnet),
                http(),
                spend(),
                keyring(),
                follow(),
                new Settings.Account(evm, evmWords()),
                new Settings.Swaps(swap(evm.isPresent(), genesis.isPresent()), values.truth(Option.SWAP_LEAVE_OPEN)),
                devnet,
                database(),
                values.truth(Option.JSON_LOGS));
        if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
        }
        return new Configuration(settings, values.origins(), sources.file(), List.copyOf(warnings));
    }

    private Settings.Keyring keyring() {
        return new Settings.Keyring(
                unsealThreads(),
                values.count(Option.MAX_MINTS),
                values.count(Option.KEY_POOL),
                values.value(Option.PASSPHRASE_FILE, sources::path));
    }

    private Optional<Settings.Database> database() {
        Optional<String> password = sources.variable(DatabaseUrl.PASSWORD_VARIABLE);
        Optional<Path> passwordFile = values.value(Option.STORE_PASSWORD_FILE, sources::path);
        Optional<URI> advertised = values.value(Option.ADVERTISE_URL, Parsing::url);
        Optional<Settings.Cluster> cluster = cluster();
        Optional<Settings.Database> database = values.value(
                        Option.STORE, text -> DatabaseUrl.parse(text, passwordFile, password, advertised, cluster))
                .flatMap(Function.identity());
        if (password.isPresent() && passwordFile.isPresent()) {
            problems.add(DatabaseUrl.PASSWORD_VARIABLE + " and " + Option.STORE_PASSWORD_FILE.flag()
                    + " exclude each other: leave one out");
        } else if (database.isEmpty()
                && !values.isGiven(Option.STORE)
                && (password.isPresent() || passwordFile.isPresent())) {
            warnings.add("the password of a database does nothing without " + Option.STORE.flag());
        }
        if (cluster.isPresent() && database.isEmpty()) {
            problems.add(Option.CLUSTER_BIND.flag() + " is for daemons that share a database: name it with "
                    + Option.STORE.flag() + ", or leave the option out");
        }
        if (advertised.isPresent() && database.isEmpty()) {
            warnings.add(Option.ADVERTISE_URL.flag() + " does nothing without a database in " + Option.STORE.flag());
        }
        return database;
    }

    private Optional<Settings.Cluster> cluster() {
        Optional<InetSocketAddress> bind = values.value(Option.CLUSTER_BIND, Parsing::address);
        List<Option> named = List.of(Option.CLUSTER_CERT, Option.CLUSTER_KEY, Option.CLUSTER_CA);
        List<Path> files = named.stream()
                .flatMap(option -> values.value(option, sources::path).stream())
                .toList();
        if (bind.isEmpty()) {
            if (!files.isEmpty() && !values.isGiven(Option.CLUSTER_BIND)) {
                problems.add("a certificate of the cluster does nothing without " + Option.CLUSTER_BIND.flag()
                        + ": name the address, or leave the files out");
            }
            return Optional.empty();
        }
        if (bind.get().getAddress().isAnyLocalAddress()) {
            problems.add(Option.CLUSTER_BIND.flag()
                    + " must be the address at which the other daemons reach this one, so not 0.0.0.0 or [::]");
        } else if (!files.isEmpty() && files.size() < named.size()) {
            problems.add(String.join(", ", named.stream().map(Option::flag).toList())
                    + " belong together: name all three files, or none on a loopback address");
        } else if (files.isEmpty() && !bind.get().getAddress().isLoopbackAddress()) {
            problems.add(Option.CLUSTER_BIND.flag() + " " + HostPort.of(bind.get())
                    + " can be reached from other machines, and calls with their passphrases would travel in clear: name "
                    + String.join(", ", named.stream().map(Option::flag).toList()));
        }
        return Optional.of(new Settings.Cluster(
                bind.get(),
                files.size() == named.size()
                        ? Optional.of(new Settings.PemFiles(files.get(0), files.get(1), files.get(2)))
                        : Optional.empty()));
    }

    private Settings.EvmWords evmWords() {
        return new Settings.EvmWords(
                values.value(Option.EVM_BRAND, Parsing::brandWord).orElse("evm"),
                values.value(Option.EVM_NATIVE, Parsing::brandWord).orElse("native"));
    }

    private Path datadir() {
        Path datadir = values.value(Option.DATADIR, sources::path).orElseGet(sources::defaultDatadir);
        Optional<Path> found = sources.foundFile();
        if (found.isPresent() && !datadir.equals(found.get().getParent())) {
            problems.add(found.get() + " leads to another datadir, " + datadir + ", than the one it lies in: "
                    + "take the key of datadir or brand out, or name the file with " + CONFIG_FLAG);
        }
        return datadir;
    }

    private Settings.Node node(Optional<Settings.Devnet> devnet) {
        return new Settings.Node(
                nodeUrls(devnet),
                values.count(Option.UPSTREAM_ATTEMPTS),
                values.duration(Option.UPSTREAM_RETRY_BACKOFF_MS),
                values.duration(Option.UPSTREAM_TIMEOUT_MS),
                values.count(Option.UPSTREAM_MAX_ANSWER_BYTES),
                values.count(Option.UPSTREAM_MAX_CONNECTIONS),
                indexer());
    }

    private Optional<Settings.Indexer> indexer() {
        Optional<String> token = values.value(Option.INDEXER_TOKEN, Parsing::token);
        Optional<List<URI>> urls = values.value(Option.INDEXER_RPC, Parsing::urls);
        // A missing file that would not be used is not a problem.
        Optional<String> kept =
                values.value(Option.INDEXER_TOKEN_FILE, urls.isPresent() ? Parsing::tokenIn : Function.identity());
        if (token.isPresent() && kept.isPresent()) {
            problems.add("--indexer-token and --indexer-token-file exclude each other: leave one out");
        }
        if (urls.isEmpty() && (token.isPresent() || kept.isPresent())) {
            warnings.add("the token for indexers does nothing without --indexer-rpc");
        }
        return urls.map(places -> new Settings.Indexer(places, token.or(() -> kept)));
    }

    private List<URI> nodeUrls(Optional<Settings.Devnet> devnet) {
        List<URI> urls = values.list(Option.NODE_RPC, Parsing::urls);
        if (devnet.isEmpty()) {
            return urls;
        }
        String origin = values.origin(Option.NODE_RPC);
        if (origin.startsWith("flag")) {
            problems.add("--devnet and --node-rpc exclude each other: leave one out");
        } else if (!origin.equals("default")) {
            warnings.add("the nodes of " + origin + " are not used, because --devnet brings its own");
        }
        values.override(Option.NODE_RPC, "flag --devnet");
        return List.of(URI.create("http://" + HostPort.toReach(devnet.get().bind())));
    }

    private Settings.Http http() {
        boolean tls = values.truth(Option.TLS);
        boolean allowPublic = values.truth(Option.ALLOW_PUBLIC_BIND);
        Map<String, String> tokens = tokens();
        Optional<InetSocketAddress> bind = values.value(Option.BIND, Parsing::address);
        Optional<InetSocketAddress> metricsBind = values.value(Option.METRICS_BIND, Parsing::address);
        bind.map(address -> BindPolicy.check(address, tls, allowPublic, !tokens.isEmpty()))
                .ifPresent(verdict -> {
                    verdict.refusal().ifPresent(problems::add);
                    warnings.addAll(verdict.warnings());
                });
        metricsBind.ifPresent(metrics -> checkMetricsBind(metrics, allowPublic));
        List<String> san = values.list(Option.TLS_SAN, Parsing::words);
        if (!tls && !san.isEmpty()) {
            warnings.add("--tls-san does nothing without --tls");
        }
        return new Settings.Http(
                new Settings.Listening(
                        bind.orElse(NOT_READ),
                        allowPublic,
                        metricsBind,
                        values.list(Option.TRUSTED_PROXIES, Parsing::networks)),
                tls,
                san,
                http2(),
                tokens,
                requests(),
                new Settings.Batches(
                        values.count(Option.MAX_BATCH),
                        values.number(Option.MAX_BATCH_ANSWER_BYTES),
                        values.count(Option.BATCH_PARALLELISM)),
                values.count(Option.MAX_CONNECTIONS),
                shares(),
                values.duration(Option.DRAIN_SECS),
                values.truth(Option.CONSOLE),
                access(tokens));
    }

    private Settings.Access access(Map<String, String> tokens) {
        Set<String> classic =
                values.value(Option.CLASSIC_TOKENS, Parsing::classicTokens).orElse(Set.of());
        tokens.keySet().stream()
                .filter(scope -> !classic.contains(scope))
                .sorted()
                .forEach(scope -> problems.add("--auth-token-" + scope + " is given, and "
                        + Option.CLASSIC_TOKENS.flag() + " switches that token off: leave one out"));
        return new Settings.Access(classic, !values.truth(Option.NO_KEY_EXPORT));
    }

    private Settings.Requests requests() {
        return new Settings.Requests(
                values.count(Option.MAX_HEAD_BYTES),
                values.count(Option.MAX_BODY_BYTES),
                values.count(Option.MAX_CONCURRENT_PER_TOKEN),
                values.count(Option.MAX_WAITS),
                values.duration(Option.HEAD_DEADLINE_SECS));
    }

    private Optional<Settings.Http2> http2() {
        Settings.Http2 limits = new Settings.Http2(
                values.count(Option.HTTP2_MAX_STREAMS),
                values.count(Option.HTTP2_MAX_HEADER_BYTES),
                values.count(Option.HTTP2_MAX_CONTROL_PER_SEC));
        return values.truth(Option.HTTP2) ? Optional.of(limits) : Optional.empty();
    }

    private Settings.ClientShares shares() {
        long held = values.number(Option.MAX_HELD_BYTES);
        return new Settings.ClientShares(
                values.count(Option.MAX_CONNECTIONS_PER_ADDRESS),
                held == 0 ? OptionalLong.empty() : OptionalLong.of(held),
                values.count(Option.HELD_PERCENT_PER_ADDRESS),
                values.count(Option.HELD_PERCENT_PER_CONNECTION));
    }

    /** Checks the address of the metrics listener. It requires no token, so only the operator's explicit assertion may make it public. */
    private void checkMetricsBind(InetSocketAddress metrics, boolean allowPublic) {
        if (BindPolicy.reachOf(metrics.getAddress()) == BindPolicy.Reach.PUBLIC && !allowPublic) {
            problems.add("--metrics-bind " + HostPort.of(metrics)
                    + " would show metrics to everyone without a token: bind it to a loopback or private address");
        }
    }

    private Map<String, String> tokens() {
        Map<String, String> tokens = new LinkedHashMap<>();
        Map<String, Option> options = new LinkedHashMap<>();
        options.put("read", Option.AUTH_TOKEN_READ);
        options.put("manage", Option.AUTH_TOKEN_MANAGE);
        options.put("spend", Option.AUTH_TOKEN_SPEND);
        options.forEach((scope, option) -> values.value(option, Parsing::token).ifPresent(token -> {
            if (tokens.containsValue(token)) {
                problems.add(option.flag() + " is the same token as that of another scope: give each its own");
            }
            if (token.length() < SHORT_TOKEN) {
                warnings.add(option.flag() + " is short; 64 random hex characters are a good token");
            }
            tokens.put(scope, token);
        }));
        return Map.copyOf(tokens);
    }

    private Settings.Spend spend() {
        Optional<Amount> perTx = values.value(Option.SPEND_CAP_PER_TX, Parsing::amount);
        Optional<Amount> perPeriod = values.value(Option.SPEND_CAP_PER_PERIOD, Parsing::amount);
        if (perTx.isPresent() && perPeriod.isPresent() && perPeriod.get().isLessThan(perTx.get())) {
            warnings.add("--spend-cap-per-period is below --spend-cap-per-tx, which can thus never be reached");
        }
        return new Settings.Spend(
                perTx,
                perPeriod,
                values.duration(Option.SPEND_CAP_PERIOD_SECS),
                values.duration(Option.RESERVATION_TTL_SECS),
                tokenKeep(),
                historyKept(),
                values.duration(Option.REBROADCAST_INTERVAL_SECS),
                values.truth(Option.AUTO_RECLAIM),
                values.truth(Option.SHARED_KEYS),
                values.truth(Option.STORE_RESTORED),
                new Settings.Payouts(
                        values.list(Option.PAYOUT_FROM, Parsing::addresses),
                        values.number(Option.PAYOUT_QUEUE_MAX),
                        values.duration(Option.PAYOUT_DELAY),
                        values.number(Option.PAYOUT_FEE_RATE),
                        values.count(Option.PAYOUT_COINS)));
    }

    /** Network of the daemon; an embedded development node determines it. */
    private Optional<Network> network(Optional<Settings.Devnet> devnet) {
        Optional<Network> named = values.value(Option.NETWORK, Parsing::network);
        Optional<Network> own = devnet.map(node -> node.work() ? Network.TESTNET : Network.DEVNET);
        if (own.isPresent() && named.isPresent() && !named.equals(own)) {
            problems.add("--devnet is the " + own.get().word() + " and --network says "
                    + named.get().word() + ": leave --network out");
        }
        return own.or(() -> named);
    }

    private Optional<Duration> historyKept() {
        long days = values.number(Option.SPENDS_KEEP_DAYS);
        return days == 0 ? Optional.empty() : Optional.of(Duration.ofDays(days));
    }

    /** Retention of client tokens, which two options can set. */
    private Duration tokenKeep() {
        Duration days = Duration.ofDays(values.number(Option.TOKEN_KEEP_DAYS));
        Duration seconds = values.duration(Option.RECEIPT_TTL_SECS);
        if (!values.isGiven(Option.RECEIPT_TTL_SECS)) {
            return days;
        }
        if (values.isGiven(Option.TOKEN_KEEP_DAYS) && !seconds.equals(days)) {
            problems.add("--receipt-ttl-secs and --token-keep-days are one thing and differ: leave one out");
        }
        return seconds;
    }

    private Settings.Follow follow() {
        return new Settings.Follow(
                values.truth(Option.VERIFY_WORK),
                values.value(Option.CHECKPOINT, Parsing::checkpoint),
                values.value(Option.FOLLOW_FROM, Parsing::height),
                values.number(Option.FOLLOW_MAX_LAG),
                values.value(Option.OWN_COINS, Parsing::ledgerFirst).orElse(false),
                values.number(Option.CREDITS_KEEP_DAYS));
    }

    private Optional<Settings.Evm> evm() {
        Optional<List<URI>> urls = values.value(Option.EVM_RPC, Parsing::urls);
        OptionalLong chainId = values.optionalNumber(Option.EVM_CHAIN_ID);
        int quorum = values.count(Option.EVM_QUORUM);
        List<EvmAddress> tokens = values.list(Option.EVM_TOKENS, Parsing::evmAddresses);
        OptionalLong known = values.optionalNumber(Option.EVM_KNOWN_NONCE);
        Settings.EvmFinality finality = values.value(Option.SWAP_EVM_FINALITY, Parsing::finality)
                .orElse(new Settings.EvmFinality.Tag("finalized"));
        Duration timeout = values.duration(Option.EVM_TIMEOUT_MS);
        if (urls.isEmpty()) {
            if (chainId.isPresent() || !tokens.isEmpty()) {
                warnings.add("--evm-chain-id and --evm-tokens do nothing without --evm-rpc");
            }
            return Optional.empty();
        }
        if (chainId.isEmpty()) {
            problems.add("--evm-rpc needs --evm-chain-id: without it a transaction could be made for another chain");
        }
        if (quorum > urls.get().size()) {
            problems.add("--evm-quorum " + quorum + " needs as many endpoints, and --evm-rpc names "
                    + urls.get().size() + ": name more, or write --evm-quorum 1 to trust a single one");
        }
        if (quorum == 1) {
            warnings.add("--evm-quorum 1 believes what a single endpoint of the account chain says");
        }
        return Optional.of(new Settings.Evm(urls.get(), quorum, chainId.orElse(0L), timeout, tokens, known, finality));
    }

    private int unsealThreads() {
        int threads = values.count(Option.UNSEAL_THREADS);
        return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }

    private Optional<Settings.Devnet> devnet(Path datadir) {
        boolean wanted = values.truth(Option.DEVNET);
        Optional<InetSocketAddress> place = values.value(Option.DEVNET_BIND, Parsing::address);
        Duration interval = values.duration(Option.DEVNET_BLOCK_INTERVAL);
        boolean quotas = values.truth(Option.DEVNET_QUOTAS);
        OptionalLong seed = values.optionalNumber(Option.DEVNET_SEED);
        boolean work = values.truth(Option.DEVNET_WORK);
        boolean prompt = values.truth(Option.DEVNET_PROMPT);
        if (!wanted || place.isEmpty()) {
            return Optional.empty();
        }
        InetSocketAddress bind = place.get();
        if (BindPolicy.reachOf(bind.getAddress()) != BindPolicy.Reach.LOOPBACK) {
            warnings.add("the development node on " + HostPort.of(bind) + " gives coins to everyone who can reach it");
        }
        return Optional.of(new Settings.Devnet(bind, datadir.resolve("devnet"), interval, quotas, seed, work, prompt));
    }

    /**
     * Reads the swap options (swap.md, section 2), and validates them together: an incomplete configuration never swaps, and reports what is
     * missing.
     *
     * @param account whether an account chain is configured
     * @param genesis whether the operator has configured the genesis
     */
    private Optional<Settings.Swap> swap(boolean account, boolean genesis) {
        Optional<URI> pool = values.value(Option.SWAP_POOL, Parsing::url);
        Optional<Path> ca = values.value(Option.SWAP_POOL_CA, Path::of);
        if (ca.isPresent() && pool.isEmpty()) {
            warnings.add("--swap-pool-ca does nothing without --swap-pool");
        }
        if (ca.isPresent() && pool.filter(url -> url.getScheme().equals("http")).isPresent()) {
            problems.add("--swap-pool-ca needs a pool with https: over http no certificate is ever shown");
        }
        Optional<Settings.Swapping> swapping = swapping(pool.isPresent(), account, genesis);
        return pool.map(url -> new Settings.Swap(url, ca, swapping));
    }

    private Optional<Settings.Swapping> swapping(boolean pool, boolean account, boolean genesis) {
        Optional<EvmAddress> contract = values.value(Option.SWAP_CONTRACT, EvmAddress::parse);
        Optional<Hash256> code = values.value(Option.SWAP_CONTRACT_CODE_HASH, Parsing::codeHash);
        OptionalLong from = values.optionalNumber(Option.SWAP_CONTRACT_FROM_BLOCK);
        OptionalLong depth = values.optionalNumber(Option.SWAP_CHAIN_CONFIRMATIONS);
        Settings.Swapping swapping = new Settings.Swapping(
                contract.orElse(NOWHERE),
                code.orElse(Hash256.ZERO),
                from,
                depth,
                values.number(Option.SWAP_LOCK_BLOCKS),
                values.number(Option.SWAP_LOCK_SECS),
                values.number(Option.SWAP_EVM_MARGIN_SECS),
                values.number(Option.SWAP_CHAIN_MARGIN_BLOCKS),
                values.number(Option.SWAP_MAX_FEE_BPS),
                values.number(Option.SWAP_MAX_IMPACT_BPS),
                values.truth(Option.SWAP_ALLOW_RELAY));
        if (!values.isGiven(Option.SWAP_CONTRACT)) {
            warnOfUnusedRules();
            return Optional.empty();
        }
        if (!pool) {
            warnings.add("--swap-contract does nothing without --swap-pool");
            return Optional.empty();
        }
        requireForSwaps(
                code.isPresent() || values.isGiven(Option.SWAP_CONTRACT_CODE_HASH),
                "--swap-contract-code-hash: the code that money is locked in has to be the one that somebody has read");
        requireForSwaps(account, "--evm-rpc and --evm-chain-id: a swap has a leg on the account chain");
        requireForSwaps(genesis, "--expect-genesis: money is locked for hours only on a chain that is named");
        if (contract.filter(EvmAddress::isZero).isPresent()) {
            problems.add("--swap-contract is the zero address: name the contract that swaps lock money in");
        }
        warnOf(swapping);
        return contract.map(address -> swapping);
    }

    private void requireForSwaps(boolean there, String what) {
        if (!there) {
            problems.add("--swap-contract needs " + what);
        }
    }

    private void warnOfUnusedRules() {
        List<String> given = Stream.of(
                        Option.SWAP_CONTRACT_CODE_HASH,
                        Option.SWAP_CONTRACT_FROM_BLOCK,
                        Option.SWAP_CHAIN_CONFIRMATIONS,
                        Option.SWAP_LOCK_BLOCKS,
                        Option.SWAP_LOCK_SECS,
                        Option.SWAP_EVM_MARGIN_SECS,
                        Option.SWAP_CHAIN_MARGIN_BLOCKS,
                        Option.SWAP_MAX_FEE_BPS,
                        Option.SWAP_MAX_IMPACT_BPS,
                        Option.SWAP_ALLOW_RELAY)
                .filter(values::isGiven)
                .map(Option::flag)
                .toList();
        if (!given.isEmpty()) {
            warnings.add(String.join(", ", given) + " do nothing without --swap-contract");
        }
    }

    private void warnOf(Settings.Swapping swapping) {
        long depth = swapping.chainConfirmations().orElse(USUAL_DEPTH);
        if (depth < USUAL_DEPTH) {
            warnings.add("--swap-chain-confirmations " + depth + " takes a lock on the chain for settled that "
                    + depth + " blocks of somebody else can undo; less than " + USUAL_DEPTH
                    + " is for development");
        }
        if (swapping.allowRelay()) {
            warnings.add("--swap-allow-relay trusts the pool with the whole amount of a sell when there is no gas");
        }
    }
}
