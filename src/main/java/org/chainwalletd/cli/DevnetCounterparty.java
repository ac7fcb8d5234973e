package org.chainwalletd.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.chainwalletd.boot.SwapDemo;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.pool.Anvil;
import org.chainwalletd.devnet.pool.Trial;

/** Counterparty of swaps for a development node: an account chain, started here or specified, and a pool that trades on both chains. */
final class DevnetCounterparty implements SwapDemo.OtherSide {
    private static final Duration BLOCK_TIME = Duration.ofSeconds(1);

    private final Optional<Anvil> anvil;
    private final Optional<Trial> trial;
    private final Optional<URI> evmRpc;

    private DevnetCounterparty(Optional<Anvil> anvil, Optional<Trial> trial, Optional<URI> evmRpc) {
        this.anvil = anvil;
        this.trial = trial;
        this.evmRpc = evmRpc;
    }

    /** Signals that a prerequisite of the trial is missing; the message says what to do. */
    static final class MissingException extends RuntimeException {
        private static final long serialVersionUID = 1;

        MissingException(String message) {
            super(message);
        }
    }

    /**
     * Starts the parts requested by {@code --pool}; without it, nothing.
     *
     * @throws MissingException when there is no usable account chain
     */
    static DevnetCounterparty start(Invocation invocation, Devnet devnet) {
        if (invocation.option("--pool").isEmpty()) {
            return new DevnetCounterparty(Optional.empty(), Optional.empty(), Optional.empty());
        }
        return begin(invocation, devnet);
    }

    /**
     * Starts the pool on the account chain specified by {@code --anvil} or {@code --pool-evm-rpc}.
     *
     * @throws MissingException when there is no usable account chain
     */
    static DevnetCounterparty begin(Invocation invocation, Devnet devnet) {
        Optional<Anvil> anvil = Optional.empty();
        try {
            URI evmRpc;
            if (invocation.option("--pool-evm-rpc").isPresent()) {
                evmRpc = URI.create(invocation.option("--pool-evm-rpc").get());
            } else {
                anvil = Optional.of(Anvil.start(program(invocation), BLOCK_TIME));
                evmRpc = anvil.get().uri();
            }
            return new DevnetCounterparty(anvil, Optional.of(Trial.start(devnet, evmRpc)), Optional.of(evmRpc));
        } catch (IOException | IllegalArgumentException e) {
            anvil.ifPresent(Anvil::close);
            throw new MissingException("no pool: " + e.getMessage());
        }
    }

    private static Path program(Invocation invocation) {
        Optional<Path> named = invocation.option("--anvil").map(Path::of);
        String path = invocation.environment().getOrDefault("PATH", "");
        return Anvil.find(named, path)
                .orElseThrow(() -> new MissingException("a pool needs an account chain, and there is no anvil "
                        + named.map(where -> "at " + where).orElse("on the PATH")
                        + ": get one with `npm install --prefix DIR @foundry-rs/anvil@1.7.1` and name it with --anvil DIR,"
                        + " or name a running development chain with --pool-evm-rpc"));
    }

    /** Prints the options with which a daemon can trade here. */
    void describe(PrintStream out) {
        trial.ifPresent(running -> {
            out.println("account chain on " + evmRpc.orElseThrow() + " (chain id " + Trial.CHAIN_ID + ")");
            out.println("swap contract " + running.contract() + ", code hash 0x"
                    + running.codeHash().hex());
            out.println("swap pool on " + running.pool().uri());
        });
    }

    @Override
    public URI evmRpc() {
        return evmRpc.orElseThrow();
    }

    @Override
    public Trial trial() {
        return trial.orElseThrow();
    }

    @Override
    public void close() {
        trial.ifPresent(Trial::close);
        anvil.ifPresent(Anvil::close);
    }
}
