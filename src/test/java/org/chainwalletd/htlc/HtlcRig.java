package org.chainwalletd.htlc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.chainwalletd.boot.Daemon;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.devnet.ledger.Coin;
import org.chainwalletd.testkit.DistortingNode;

/** A daemon inside the test, called over HTTP, over a development chain whose node can lie. */
final class HtlcRig implements AutoCloseable {
    final Devnet devnet;
    final DistortingNode node;
    final Daemon daemon;
    private final WalletdClient client;
    private final boolean guest;

    /** @param more flags and their values */
    HtlcRig(Path folder, String... more) {
        this(newChain(), false, folder, more);
    }

    private static Devnet newChain() {
        try {
            return Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Another daemon over a chain that outlives it. */
    static HtlcRig over(Devnet chain, Path folder, String... more) {
        return new HtlcRig(chain, true, folder, more);
    }

    private HtlcRig(Devnet chain, boolean guest, Path folder, String... more) {
        this.devnet = chain;
        this.guest = guest;
        try {
            node = new DistortingNode(devnet.uri());
            Map<String, String> flags = new HashMap<>(Map.of(
                    "--datadir",
                    folder.toString(),
                    "--bind",
                    "127.0.0.1:0",
                    "--node-rpc",
                    node.url().toString()));
            flags.putAll(flags(more));
            Settings settings = SettingsLoader.load(flags, Map.of(), folder).settings();
            daemon = Daemon.start(
                    settings, SecretBytes.takeOver("tests only".getBytes(StandardCharsets.UTF_8)), line -> {});
            String token = Files.readString(folder.resolve("token-spend")).strip();
            client = new WalletdClient(daemon.uri(), token, Optional.empty(), Duration.ofSeconds(60));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, String> flags(String... more) {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i < more.length; i += 2) {
            flags.put(more[i], more[i + 1]);
        }
        return flags;
    }

    static Map<String, Object> params(Object... namesAndValues) {
        Map<String, Object> params = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            Object value = namesAndValues[i + 1];
            boolean text = value instanceof Address
                    || value instanceof Hash256
                    || value instanceof Bytes
                    || value instanceof org.chainwalletd.chain.PublicKey;
            params.put((String) namesAndValues[i], text ? value.toString() : value);
        }
        return params;
    }

    JsonNode call(String method, Map<String, ?> params) {
        return client.call(method, params);
    }

    WalletdException.RpcError refused(String method, Map<String, ?> params) {
        JsonNode result;
        try {
            result = client.call(method, params);
        } catch (WalletdException.RpcError refused) {
            return refused;
        }
        throw new AssertionError(method + " was not refused but gave " + result);
    }

    /** The refusal's words, which are checked to come with {@code code} and not to hand anything to a node. */
    String refusedUnsent(int code, String method, Map<String, ?> params) {
        long sent = node.count("send_raw_transaction");
        WalletdException.RpcError error = refused(method, params);
        assertThat(error.code()).as(error.getMessage()).isEqualTo(code);
        assertThat(node.count("send_raw_transaction"))
                .as("nothing was broadcast")
                .isEqualTo(sent);
        return error.getMessage();
    }

    Party imported(int number) {
        Party party = new Party(number);
        call("import_private_key", params("private_key", party.secret()));
        return party;
    }

    /** Gives confirmed coins. */
    void fund(Party party, long... values) {
        Arrays.stream(values).forEach(value -> devnet.faucet(party.address, Amount.of(value)));
        mine(1);
    }

    long mine(int blocks) {
        devnet.mine(blocks);
        return devnet.tip().height();
    }

    Map<Outpoint, Long> coins(Party party) {
        return devnet.ledger().list(Bytes.wrap(party.address.toArray()), null, null, 1000).coins().stream()
                .collect(Collectors.toMap(
                        Coin::outpoint, coin -> coin.output().value().bits()));
    }

    /** What a counterparty's daemon would make: an HTLC output, perhaps with a datum. */
    static TxOutput htlc(HtlcParams params, long amount) {
        return TxOutput.toScript(HtlcScript.build(params), Amount.of(amount));
    }

    static Hash256 hashLock(byte[] preimage) {
        return HtlcWitness.hashLockOf(preimage);
    }

    @Override
    public void close() {
        daemon.close();
        node.close();
        if (!guest) {
            devnet.close();
        }
    }
}
