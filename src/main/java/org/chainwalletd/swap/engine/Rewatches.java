package org.chainwalletd.swap.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Requests that unwatched rows are watched again. A request can be lost, and the write that it leads to can fail, so it is repeated until the row
 * shows that it was carried out. For one caller at a time.
 */
final class Rewatches {
    private final Consumer<String> request;
    /** Version of each row when it was first requested. */
    private final Map<String, Long> versions = new HashMap<>();

    /** @param request receives the id of a row; marking the row as watched raises its version */
    Rewatches(Consumer<String> request) {
        this.request = request;
    }

    /** Tests whether a row was requested and is not known to have been watched since. */
    boolean isRequested(String id) {
        return versions.containsKey(id);
    }

    /**
     * Tests whether a row, read just now, is watched or was since it was requested; if not, requests it. A requested row that is watched by now is
     * requested once more: if the answer to the write was lost, no actor has the row.
     */
    boolean isDone(SwapJournal.Held row) {
        String id = row.row().id();
        long version = row.entry().version();
        if (row.entry().watched()) {
            if (versions.remove(id) != null) {
                request.accept(id);
            }
            return true;
        }
        if (versions.getOrDefault(id, version) < version) {
            versions.remove(id);
            return true;
        }
        versions.putIfAbsent(id, version);
        request.accept(id);
        return false;
    }
}
