package org.chainwalletd.devnet.indexer;

import java.util.ArrayList;
import java.util.List;

/** Changes that take one block out of the index again. */
final class Undo {
    private final List<Runnable> steps = new ArrayList<>();

    void add(Runnable step) {
        steps.add(step);
    }

    /** The last step first. */
    void run() {
        for (int i = steps.size() - 1; i >= 0; i--) {
            steps.get(i).run();
        }
    }
}
