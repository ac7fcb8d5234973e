package org.chainwalletd.devnet.indexer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import org.chainwalletd.chain.U64;
import org.chainwalletd.devnet.call.Json;
import org.chainwalletd.devnet.call.Params;

/** Parts of lists that are in the order of their places. */
final class Pages {
    private Pages() {}

    /**
     * The part after {@code cursor}, from {@code since_height} on.
     *
     * @param reverse whether the highest row comes first
     * @param member name of the list
     */
    static <T> JsonNode of(
            NavigableMap<Place, T> all,
            Params params,
            int limit,
            boolean reverse,
            String member,
            BiFunction<Place, T, JsonNode> writer) {
        NavigableMap<Place, T> ordered = reverse ? all.descendingMap() : all;
        Optional<Place> last = params.optionalText("cursor").map(Cursors::read);
        OptionalLong since = params.optionalNumber("since_height");
        List<Map.Entry<Place, T>> found =
                last.map(place -> ordered.tailMap(boundary(place, reverse), false)).orElse(ordered).entrySet().stream()
                        .filter(row ->
                                since.isEmpty() || U64.compare(row.getKey().height(), since.getAsLong()) >= 0)
                        .limit(limit + 1L)
                        .toList();
        ObjectNode page = Json.object();
        ArrayNode shown = page.putArray(member);
        found.stream().limit(limit).forEach(row -> shown.add(writer.apply(row.getKey(), row.getValue())));
        if (found.size() > limit) {
            page.put(
                    "next_cursor",
                    cursor(found.get(limit - 1).getKey(), found.get(limit).getKey()));
        }
        return page;
    }

    /** A cursor that names a whole transaction stands behind all of its rows, from whichever side they are read. */
    private static Place boundary(Place last, boolean reverse) {
        return reverse && last.number() == Long.MAX_VALUE ? new Place(last.height(), last.txId(), -1) : last;
    }

    private static String cursor(Place last, Place next) {
        boolean sameTransaction = last.height() == next.height() && last.txId().equals(next.txId());
        return sameTransaction ? Cursors.within(last) : Cursors.after(last);
    }
}
