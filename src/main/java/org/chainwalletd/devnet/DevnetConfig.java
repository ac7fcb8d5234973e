package org.chainwalletd.devnet;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.devnet.ledger.Effort;

/**
 * Configuration of a development node. With the same seed and the same clock readings two nodes make the same chain.
 *
 * @param bind port 0: any free port
 * @param folder where the chain is kept; empty: in memory only
 * @param blockInterval zero: blocks only on demand
 * @param quotas whether the rate limits of a real node apply
 * @param prompt whether a block includes the transactions pending when it is mined; a real node assembles its block when the previous
 *     block arrives, so a later payment waits for one more block
 * @param firstBlocks how many blocks a new chain has from the start, so that there are coins to give away
 * @param seed chooses the miner's key; empty: the published test key of 32 bytes {@code 03}
 * @param effort the proof of work that blocks require
 */
public record DevnetConfig(
        ChainProfile profile,
        InetSocketAddress bind,
        Optional<Path> folder,
        Duration blockInterval,
        boolean quotas,
        boolean prompt,
        int firstBlocks,
        OptionalLong seed,
        Effort effort,
        InstantSource clock) {
    private static final int FIRST_BLOCKS = 100;
    private static final int FIRST_BLOCKS_OF_WORK = Network.TESTNET.coinbaseMaturity() + 2;
    private static final byte DEFAULT_KEY_BYTE = 3;

    /**
     * Configuration in memory, on a free loopback port, with blocks only on demand and no quotas. They are {@linkplain #prompt}, so that
     * a caller who mines by hand decides what is in them.
     */
    public static DevnetConfig onDemand(ChainProfile profile) {
        return new DevnetConfig(
                profile,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                Duration.ZERO,
                false,
                true,
                FIRST_BLOCKS,
                OptionalLong.empty(),
                Effort.NONE,
                InstantSource.system());
    }

    public DevnetConfig withBind(InetSocketAddress newBind) {
        return new DevnetConfig(
                profile, newBind, folder, blockInterval, quotas, prompt, firstBlocks, seed, effort, clock);
    }

    public DevnetConfig withFolder(Path newFolder) {
        return new DevnetConfig(
                profile, bind, Optional.of(newFolder), blockInterval, quotas, prompt, firstBlocks, seed, effort, clock);
    }

    public DevnetConfig withBlockInterval(Duration newInterval) {
        return new DevnetConfig(profile, bind, folder, newInterval, quotas, prompt, firstBlocks, seed, effort, clock);
    }

    public DevnetConfig withQuotas(boolean newQuotas) {
        return new DevnetConfig(
                profile, bind, folder, blockInterval, newQuotas, prompt, firstBlocks, seed, effort, clock);
    }

    public DevnetConfig withPrompt(boolean newPrompt) {
        return new DevnetConfig(
                profile, bind, folder, blockInterval, quotas, newPrompt, firstBlocks, seed, effort, clock);
    }

    public DevnetConfig withFirstBlocks(int newFirstBlocks) {
        return new DevnetConfig(
                profile, bind, folder, blockInterval, quotas, prompt, newFirstBlocks, seed, effort, clock);
    }

    public DevnetConfig withSeed(OptionalLong newSeed) {
        return new DevnetConfig(
                profile, bind, folder, blockInterval, quotas, prompt, firstBlocks, newSeed, effort, clock);
    }

    public DevnetConfig withClock(InstantSource newClock) {
        return new DevnetConfig(
                profile, bind, folder, blockInterval, quotas, prompt, firstBlocks, seed, effort, newClock);
    }

    /** Returns this configuration with proof of work; the chain starts with only as many blocks as make a coinbase mature. */
    public DevnetConfig withWork() {
        return with(Effort.WORK);
    }

    /** Returns this configuration with the least detectable work, two hashes a block, for callers that mine many blocks. */
    public DevnetConfig withLittleWork() {
        return with(Effort.LITTLE);
    }

    private DevnetConfig with(Effort newEffort) {
        return new DevnetConfig(
                profile, bind, folder, blockInterval, quotas, prompt, FIRST_BLOCKS_OF_WORK, seed, newEffort, clock);
    }

    /** The miner's Ed25519 seed: public test material, worth nothing on any other chain. */
    byte[] minerSecret() {
        if (seed.isEmpty()) {
            byte[] secret = new byte[32];
            Arrays.fill(secret, DEFAULT_KEY_BYTE);
            return secret;
        }
        byte[] number = ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(seed.getAsLong())
                .array();
        return Hash256.sha256("devnet miner".getBytes(StandardCharsets.US_ASCII), number)
                .toArray();
    }
}
