package org.chainwalletd.devnet.compare;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;

/**
 * The same questions to the development node of this program, started for the purpose in memory, and to another node. Blocks until all
 * are asked, which takes some seconds, and some blocks of the other node.
 */
public final class Comparison {
    private static final Duration BLOCK_INTERVAL = Duration.ofMillis(500);

    private Comparison() {}

    /**
     * @param other where the other node answers
     * @param found hears each question as soon as both have answered it
     * @return whether the questions that need coins were asked: the other node's miner was paid to the test key
     * @throws IOException when one of the two cannot be reached
     */
    public static boolean run(ChainProfile profile, URI other, Consumer<Finding> found) throws IOException {
        DevnetConfig config = DevnetConfig.onDemand(profile).withPrompt(false).withBlockInterval(BLOCK_INTERVAL);
        try (Devnet devnet = Devnet.start(config)) {
            Peer ours = new Peer(devnet.uri());
            Peer theirs = new Peer(other);
            for (Questions.Question question : Questions.all()) {
                found.accept(new Finding(
                        question.name(),
                        Plain.http(ours.exchange(question.request(), question.events())),
                        Plain.http(theirs.exchange(question.request(), question.events()))));
            }
            Payments mine = new Payments(profile, ours);
            Payments yours = new Payments(profile, theirs);
            if (!yours.isPossible()) {
                return false;
            }
            Map<String, String> expected = mine.ask();
            yours.ask().forEach((name, answer) -> found.accept(new Finding(name, expected.get(name), answer)));
            return true;
        }
    }

    /**
     * What two nodes answered to one question, with ids, heights and values of one chain taken out.
     *
     * @param question what was asked, in a few words
     * @param ours of the development node
     * @param theirs of the other one
     */
    public record Finding(String question, String ours, String theirs) {
        public boolean differs() {
            return !ours.equals(theirs);
        }
    }
}
