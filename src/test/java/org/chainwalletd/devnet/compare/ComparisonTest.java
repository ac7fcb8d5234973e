package org.chainwalletd.devnet.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.junit.jupiter.api.Test;

/** The comparison of two nodes, of which the other one is a development node too, honest or not. */
class ComparisonTest {
    private static final ChainProfile CHAIN = ChainProfile.of("chain");
    /** With the quotas of a real node. */
    private static final DevnetConfig CONFIG =
            DevnetConfig.onDemand(CHAIN).withPrompt(false).withQuotas(true);

    private final List<Comparison.Finding> findings = new ArrayList<>();

    @Test
    void a_node_does_not_differ_from_itself() throws IOException {
        try (Devnet other = Devnet.start(CONFIG)) {
            assertThat(Comparison.run(CHAIN, other.uri(), () -> other.mine(1), findings::add))
                    .isTrue();
        }
        assertThat(findings).hasSizeGreaterThan(120).noneMatch(Comparison.Finding::differs);
        assertThat(findings)
                .extracting(Comparison.Finding::ours)
                .as("the quotas of a real node leave room for one comparison a minute")
                .noneMatch(answer -> answer.contains("Rate limit"));
        assertThat(findings)
                .filteredOn(finding -> finding.question().equals("a claim with another preimage"))
                .singleElement()
                .satisfies(
                        finding -> assertThat(finding.theirs()).contains("unconsumed witness bytes: 8 of 77 consumed"));
    }

    @Test
    void what_a_node_answers_otherwise_is_reported() throws IOException {
        try (Devnet other = Devnet.start(CONFIG.withSeed(OptionalLong.of(7)))) {
            other.faults().refuse(true);
            assertThat(Comparison.run(CHAIN, other.uri(), () -> other.mine(1), findings::add))
                    .as("there are no coins of the test key")
                    .isFalse();
        }
        assertThat(findings)
                .filteredOn(Comparison.Finding::differs)
                .isNotEmpty()
                .allSatisfy(finding -> assertThat(finding.theirs()).contains("Storage error"))
                .allSatisfy(finding -> assertThat(finding.question()).startsWith("send_raw_transaction"));
    }
}
