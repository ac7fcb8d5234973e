package org.chainwalletd.devnet.indexer;

import java.util.ArrayList;
import java.util.List;

/** Undo log of one block in the index. */
final class Undo {
    private final List<Runnable> steps = new ArrayList<>();

    void add(Runnable step) {
        steps.add(step);
    }

    /** Runs the steps in reverse order. */
    void run() {
        for (int i = steps.size() - 1; i >= 0; i--) {
            steps.get(i).run();
        }
    }
}
