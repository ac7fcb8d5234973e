package org.chainwalletd.node;

import java.util.List;
import java.util.Objects;

/** Progress of a call that was handed over to {@link Upstream}, which alone sees this. */
final class CallTrace<T> {
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
    CallTrace(Call<T> call, int start) {
        this.call = Objects.requireNonNull(call);
        this.start = start;
    }
}
