package org.chainwalletd.testkit;

import java.io.IOException;
import java.net.URI;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * New development chain for each test, on a free port, with blocks only on demand:
 * <pre>{@code @RegisterExtension final DevnetExtension chain = new DevnetExtension();}</pre>
 */
public final class DevnetExtension implements BeforeEachCallback, AfterEachCallback {
    private static final int FIRST_BLOCKS = 10;

    private final DevnetConfig config;
    private Devnet devnet;

    public DevnetExtension() {
        this(config -> config);
    }

    /** Creates a chain with another configuration than the default one of {@link DevnetConfig#onDemand} with ten first blocks. */
    public DevnetExtension(UnaryOperator<DevnetConfig> change) {
        config = change.apply(DevnetConfig.onDemand(ChainProfile.of("chain")).withFirstBlocks(FIRST_BLOCKS));
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        devnet = Devnet.start(config);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (devnet != null) {
            devnet.close();
        }
    }

    public Devnet node() {
        return devnet;
    }

    public URI uri() {
        return devnet.uri();
    }

    /** Mines blocks and returns the new height. */
    public long mine(int blocks) {
        devnet.mine(blocks);
        return devnet.tip().height();
    }

    /** Pays {@code amount} base units to {@code address} and confirms the payment with a block. */
    public Hash256 fund(Address address, long amount) {
        Hash256 txId = devnet.faucet(address, Amount.of(amount));
        devnet.mine(1);
        return txId;
    }

    /** Submits a serialised transaction directly, not over HTTP. */
    public Hash256 submit(String hex) {
        return submit(TransactionCodec.decode(HexFormat.of().parseHex(hex)));
    }

    /** Submits a transaction directly, not over HTTP. */
    public Hash256 submit(Transaction tx) {
        return devnet.ledger().submit(tx);
    }
}
