package org.chainwalletd.spend.plan;

import java.util.List;
import org.chainwalletd.node.NodeClient;

/**
 * Coins that a plan may spend.
 *
 * @param utxos in the order of preference of the plan
 * @param truncated whether the node listed only a part of the coins
 * @param tipHeight height of the tip when they were listed
 */
public record Candidates(List<NodeClient.Utxo> utxos, boolean truncated, long tipHeight, Source source) {
    /** Source of the values and scripts, which decides whether they are trusted. */
    public sealed interface Source {}

    /**
     * Listing of a node: the selected coins are compared with transaction bytes before they are spent, and their scripts with the address
     * of {@link SpendPlan#from}.
     *
     * @param node URL of the node; empty when unknown
     */
    public record Listed(String node) implements Source {}

    /** The plan has read values and scripts from the bytes of transactions whose ids it computed. */
    public record Proven() implements Source {}

    public Candidates {
        utxos = List.copyOf(utxos);
    }

    static Candidates listed(List<NodeClient.Utxo> inOrder, NodeClient.UtxoListing listing) {
        return new Candidates(inOrder, listing.truncated(), listing.tipHeight(), new Listed(listing.node()));
    }

    /** Creates candidates for plans that supply coins which they have proven themselves. */
    public static Candidates proven(List<NodeClient.Utxo> utxos, long tipHeight) {
        return new Candidates(utxos, false, tipHeight, new Proven());
    }
}
