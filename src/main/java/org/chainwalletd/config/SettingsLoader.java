package org.chainwalletd.config;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/**
 * Makes {@link Settings} of flags, environment, configuration file and defaults, checks everything, and reports all problems at once. Reads
 * one file and resolves host names; writes nothing.
 */
public final class SettingsLoader {
    public static final String CONFIG_FLAG = "--config";
    public static final String CONFIG_VARIABLE = "WALLETD_CONFIG";
    /** Looked for in the datadir when no file is named. */
    public static final String FILE_NAME = "walletd.conf";

    private static final int SHORT_TOKEN = 32;

    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final Map<Option, String> origins = new EnumMap<>(Option.class);
    private final Sources sources;

    private SettingsLoader(Map<String, String> flags, Map<String, String> environment, Path home) {
        this.sources = new Sources(flags, environment, home, problems, warnings);
    }

    /**
     * @param flags text by flag name with dashes, as given; {@code "true"} for a switch without a value
     * @param environment such as {@link System#getenv()}
     * @param home the user's home folder
     * @throws ConfigurationException with every problem there is
     */
    public static Configuration load(Map<String, String> flags, Map<String, String> environment, Path home) {
        return new SettingsLoader(flags, environment, home).load();
    }

    private Configuration load() {
        sources.read();
        ChainProfile chain = value(Option.BRAND, ChainProfile::of).orElse(ChainProfile.of("chain"));
        Path datadir = datadir();
        Optional<Settings.Devnet> devnet = devnet(datadir);
        Optional<Hash256> genesis = value(Option.EXPECT_GENESIS, Parsing::hash);
        Optional<Settings.Evm> evm = evm();
        SwapSection swap = new SwapSection(this, problems, warnings);
        Settings settings = new Settings(
                chain,
                genesis,
                datadir,
                node(devnet),
                http(),
                spend(),
                new Settings.Keyring(
                        unsealThreads(),
                        count(Option.MAX_MINTS),
                        count(Option.KEY_POOL),
                        value(Option.PASSPHRASE_FILE, sources::path)),
                follow(),
                swap.read(evm.isPresent(), genesis.isPresent()),
                truth(Option.SWAP_LEAVE_OPEN),
                devnet,
                evm,
                new Settings.EvmWords(
                        value(Option.EVM_BRAND, Parsing::brandWord).orElse("evm"),
                        value(Option.EVM_NATIVE, Parsing::brandWord).orElse("native")),
                truth(Option.JSON_LOGS));
        if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
        }
        return new Configuration(settings, Map.copyOf(origins), sources.file(), List.copyOf(warnings));
    }

    private Path datadir() {
        Path datadir = value(Option.DATADIR, sources::path).orElseGet(sources::defaultDatadir);
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
                count(Option.UPSTREAM_ATTEMPTS),
                Duration.ofMillis(number(Option.UPSTREAM_RETRY_BACKOFF)),
                Duration.ofMillis(number(Option.UPSTREAM_TIMEOUT)),
                count(Option.UPSTREAM_MAX_ANSWER),
                count(Option.UPSTREAM_MAX_CONNECTIONS),
                indexer());
    }

    private Optional<Settings.Indexer> indexer() {
        Optional<String> token = value(Option.INDEXER_TOKEN, Parsing::token);
        Optional<List<URI>> urls = value(Option.INDEXER_RPC, Parsing::urls);
        // Nobody misses a file that would not be used.
        Optional<String> kept =
                value(Option.INDEXER_TOKEN_FILE, urls.isPresent() ? Parsing::tokenIn : Function.identity());
        if (token.isPresent() && kept.isPresent()) {
            problems.add("--indexer-token and --indexer-token-file exclude each other: leave one out");
        }
        if (urls.isEmpty() && (token.isPresent() || kept.isPresent())) {
            warnings.add("the token for indexers does nothing without --indexer-rpc");
        }
        return urls.map(places -> new Settings.Indexer(places, token.or(() -> kept)));
    }

    private List<URI> nodeUrls(Optional<Settings.Devnet> devnet) {
        List<URI> urls = value(Option.NODE_RPC, Parsing::urls).orElse(List.of());
        if (devnet.isEmpty()) {
            return urls;
        }
        String origin = origins.get(Option.NODE_RPC);
        if (origin.startsWith("flag")) {
            problems.add("--devnet and --node-rpc exclude each other: leave one out");
        } else if (!origin.equals("default")) {
            warnings.add("the nodes of " + origin + " are not used, because --devnet brings its own");
        }
        origins.put(Option.NODE_RPC, "flag --devnet");
        return List.of(URI.create("http://" + HostPort.toReach(devnet.get().bind())));
    }

    private Settings.Http http() {
        boolean tls = truth(Option.TLS);
        boolean allowPublic = truth(Option.ALLOW_PUBLIC_BIND);
        Map<String, String> tokens = tokens();
        InetSocketAddress bind = value(Option.BIND, Parsing::address).orElse(null);
        Optional<InetSocketAddress> metricsBind = value(Option.METRICS_BIND, Parsing::address);
        if (bind != null) {
            BindPolicy.Verdict verdict = BindPolicy.check(bind, tls, allowPublic, !tokens.isEmpty());
            verdict.refusal().ifPresent(problems::add);
            warnings.addAll(verdict.warnings());
        }
        metricsBind.ifPresent(metrics -> checkMetricsBind(metrics, allowPublic));
        List<String> san = value(Option.TLS_SAN, Parsing::words).orElse(List.of());
        if (!tls && !san.isEmpty()) {
            warnings.add("--tls-san does nothing without --tls");
        }
        return new Settings.Http(
                new Settings.Listening(
                        bind,
                        allowPublic,
                        metricsBind,
                        value(Option.TRUSTED_PROXIES, Parsing::networks).orElse(List.of())),
                tls,
                san,
                http2(),
                tokens,
                requests(),
                new Settings.Batches(
                        count(Option.MAX_BATCH), number(Option.MAX_BATCH_ANSWER), count(Option.BATCH_PARALLELISM)),
                count(Option.MAX_CONNECTIONS),
                shares(),
                Duration.ofSeconds(number(Option.DRAIN)),
                truth(Option.CONSOLE));
    }

    private Settings.Requests requests() {
        return new Settings.Requests(
                count(Option.MAX_HEAD),
                count(Option.MAX_BODY),
                count(Option.MAX_CONCURRENT_PER_TOKEN),
                count(Option.MAX_WAITS),
                Duration.ofSeconds(number(Option.HEAD_DEADLINE)));
    }

    private Optional<Settings.Http2> http2() {
        Settings.Http2 limits = new Settings.Http2(
                count(Option.HTTP2_MAX_STREAMS), count(Option.HTTP2_MAX_HEADER), count(Option.HTTP2_MAX_CONTROL));
        return truth(Option.HTTP2) ? Optional.of(limits) : Optional.empty();
    }

    private Settings.ClientShares shares() {
        long held = number(Option.MAX_HELD);
        return new Settings.ClientShares(
                count(Option.MAX_CONNECTIONS_PER_ADDRESS),
                held == 0 ? OptionalLong.empty() : OptionalLong.of(held),
                count(Option.HELD_PER_ADDRESS),
                count(Option.HELD_PER_CONNECTION));
    }

    /** That listener asks for no token, so nothing but the operator's own assertion opens it to everyone. */
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
        options.forEach((scope, option) -> value(option, Parsing::token).ifPresent(token -> {
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
        Optional<Amount> perTx = value(Option.SPEND_CAP_PER_TX, Parsing::amount);
        Optional<Amount> perPeriod = value(Option.SPEND_CAP_PER_PERIOD, Parsing::amount);
        if (perTx.isPresent() && perPeriod.isPresent() && perPeriod.get().isLessThan(perTx.get())) {
            warnings.add("--spend-cap-per-period is below --spend-cap-per-tx, which can thus never be reached");
        }
        return new Settings.Spend(
                perTx,
                perPeriod,
                Duration.ofSeconds(number(Option.SPEND_CAP_PERIOD)),
                Duration.ofSeconds(number(Option.RESERVATION_TTL)),
                tokenKeep(),
                Duration.ofSeconds(number(Option.REBROADCAST_INTERVAL)),
                truth(Option.AUTO_RECLAIM),
                truth(Option.SHARED_KEYS),
                truth(Option.STORE_RESTORED));
    }

    /** Two words for one thing. */
    private Duration tokenKeep() {
        Duration days = Duration.ofDays(number(Option.TOKEN_KEEP_DAYS));
        Duration seconds = Duration.ofSeconds(number(Option.RECEIPT_TTL));
        if (!isGiven(Option.RECEIPT_TTL)) {
            return days;
        }
        if (isGiven(Option.TOKEN_KEEP_DAYS) && !seconds.equals(days)) {
            problems.add("--receipt-ttl-secs and --token-keep-days are one thing and differ: leave one out");
        }
        return seconds;
    }

    private Settings.Follow follow() {
        return new Settings.Follow(
                truth(Option.VERIFY_WORK),
                value(Option.CHECKPOINT, Parsing::checkpoint),
                value(Option.FOLLOW_FROM, Parsing::height),
                number(Option.FOLLOW_MAX_LAG),
                value(Option.OWN_COINS, Parsing::ledgerFirst).orElse(false),
                number(Option.CREDITS_KEEP_DAYS));
    }

    private Optional<Settings.Evm> evm() {
        Optional<List<URI>> urls = value(Option.EVM_RPC, Parsing::urls);
        Optional<Long> chainId = value(Option.EVM_CHAIN_ID, text -> Parsing.number(text, 1, Long.MAX_VALUE));
        int quorum = count(Option.EVM_QUORUM);
        List<EvmAddress> tokens =
                value(Option.EVM_TOKENS, Parsing::evmAddresses).orElse(List.of());
        Optional<Long> known = value(Option.EVM_KNOWN_NONCE, text -> Parsing.number(text, 0, Long.MAX_VALUE));
        Settings.EvmFinality finality =
                value(Option.SWAP_EVM_FINALITY, Parsing::finality).orElse(new Settings.EvmFinality.Tag("finalized"));
        Duration timeout = Duration.ofMillis(number(Option.EVM_TIMEOUT));
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
        return Optional.of(new Settings.Evm(
                urls.get(),
                quorum,
                chainId.orElse(0L),
                timeout,
                tokens,
                known.map(OptionalLong::of).orElse(OptionalLong.empty()),
                finality));
    }

    private int unsealThreads() {
        int threads = count(Option.UNSEAL_THREADS);
        return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }

    private Optional<Settings.Devnet> devnet(Path datadir) {
        boolean wanted = truth(Option.DEVNET);
        InetSocketAddress bind = value(Option.DEVNET_BIND, Parsing::address).orElse(null);
        Duration interval = Duration.ofSeconds(number(Option.DEVNET_BLOCK_INTERVAL));
        boolean quotas = truth(Option.DEVNET_QUOTAS);
        Optional<Long> seed = value(Option.DEVNET_SEED, text -> Parsing.number(text, Long.MIN_VALUE, Long.MAX_VALUE));
        boolean work = truth(Option.DEVNET_WORK);
        boolean prompt = truth(Option.DEVNET_PROMPT);
        if (!wanted || bind == null) {
            return Optional.empty();
        }
        if (BindPolicy.reachOf(bind.getAddress()) != BindPolicy.Reach.LOOPBACK) {
            warnings.add("the development node on " + HostPort.of(bind) + " gives coins to everyone who can reach it");
        }
        return Optional.of(new Settings.Devnet(
                bind,
                datadir.resolve("devnet"),
                interval,
                quotas,
                seed.map(OptionalLong::of).orElse(OptionalLong.empty()),
                work,
                prompt));
    }

    /** Whether somebody has set it, and not the default. */
    boolean isGiven(Option option) {
        return !origins.get(option).equals("default");
    }

    boolean truth(Option option) {
        return value(option, Parsing::truth).orElse(false);
    }

    private int count(Option option) {
        return Math.toIntExact(number(option));
    }

    long number(Option option) {
        return value(option, text -> Parsing.number(text, option.least(), option.most()))
                .orElse(option.least());
    }

    /** The option's value, or its default; a problem is noted and counts as nothing. */
    <T> Optional<T> value(Option option, Function<String, T> parsing) {
        Optional<Sources.Given> given = sources.given(option);
        origins.put(option, given.map(Sources.Given::origin).orElse("default"));
        if (option.form() == Option.Form.SECRET && origins.get(option).startsWith("flag")) {
            warnings.add(option.flag() + " stands on the command line, which everybody on this machine can read: use "
                    + option.variable(sources.brand()) + ", the configuration file or a file of its own");
        }
        Optional<String> text = given.map(Sources.Given::text).or(option::defaultText);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            if (text.get().isBlank() && given.isPresent() && !takesNothing(option)) {
                throw new IllegalArgumentException("is empty; give a value or leave it out");
            }
            return Optional.of(parsing.apply(text.get().strip()));
        } catch (InvalidPathException e) {
            problems.add(complaint(option, given, "is no path"));
        } catch (IllegalArgumentException e) {
            problems.add(complaint(option, given, e.getMessage()));
        }
        return Optional.empty();
    }

    private static boolean takesNothing(Option option) {
        return option.form() == Option.Form.WORDS || option.form() == Option.Form.NETWORKS;
    }

    /** Names the place where the value was given, so that the operator finds it; a secret is not shown. */
    private static String complaint(Option option, Optional<Sources.Given> given, String what) {
        String origin = given.map(Sources.Given::origin).orElse("default of " + option.flag());
        String name = origin.startsWith("flag ") ? option.flag() : option.flag() + " (from " + origin + ")";
        boolean shown = option.form() != Option.Form.SECRET
                && given.isPresent()
                && !given.get().text().isBlank();
        return name + (shown ? " '" + given.get().text() + "'" : "") + " " + what;
    }
}
