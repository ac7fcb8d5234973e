package org.chainwalletd.node;

import java.util.List;
import java.util.Objects;

/** What {@link Upstream} has noted about a call that was handed over to it; only it sees this. */
final class Journey<T> {
    final Call<T> call;
    final int start;
    int sweep;
    List<UpstreamNode> order = List.of();
    int step;
    int attempt;
    int tipRaces;
    UpstreamNode waitingFor;
    boolean answerLost;
    String lastFailure = "";

    /**
     * @param start where the rotation begins for this call
     */
    Journey(Call<T> call, int start) {
        this.call = Objects.requireNonNull(call);
        this.start = start;
    }
}
