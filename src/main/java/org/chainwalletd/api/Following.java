package org.chainwalletd.api;

import java.util.List;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.I64;

/** Methods for the follower of the chain. */
public final class Following {
    private Following() {}

    @Method(
            name = "get_follower_status",
            scope = Scope.READ,
            summary = "Where the follower of the chain stands.",
            errors = ErrorCode.UPSTREAM)
    public record GetFollowerStatus() implements Call<GetFollowerStatus.Result> {
        public record Result(
                @Doc("Highest block that the books hold and others are told of")
                long lastIndexedHeight,

                Hash256 lastIndexedBlockId,
                long tipHeight,

                @Doc("tip_height minus last_indexed_height") @I64
                long lag,

                long indexedHtlcCount,

                @Doc("Unix seconds") long followerStartedAt,

                @Doc("Whether no rescan is pending") boolean fullScanComplete,

                @Doc("Seconds since the time that the last indexed block states") @I64
                long tipAgeSeconds,

                @Doc(
                        "Blocks that rescans have not read yet, with the one that waits for the one under way; 0 without one")
                long rescanBlocksLeft,

                @Doc("What keeps the follower from following, and which nodes differ from the followed chain")
                List<String> complaints) {}
    }

    /** Rescans the chain for keys that are older than the books. */
    @Method(
            name = "rescan",
            scope = Scope.MANAGE,
            summary =
                    "Reads the chain again from a height, in the background and across restarts; get_follower_status tells how far it is.",
            background = true)
    public record Rescan(
            @Doc("First block that is read; 0 for all of them")
            long fromHeight) implements Call<Rescan.Result> {
        public record Result(
                @Doc("First block of the rescan that runs; others wait for it")
                long fromHeight,

                @Doc("Where it meets the followed tip, as of now")
                long toHeight,

                @Doc(
                        "Blocks to read; expect up to 2,000 a second from a local node, some 160 from one that is 50 ms away")
                long blocks) {}
    }
}
