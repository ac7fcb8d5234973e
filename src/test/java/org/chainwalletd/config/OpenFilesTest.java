package org.chainwalletd.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class OpenFilesTest {
    private static final String HEAD = "Limit                     Soft Limit           Hard Limit           Units     ";

    @Test
    void the_limit_in_force_is_the_soft_one() {
        String row = "Max open files            4096                 524288               files     ";
        assertThat(OpenFiles.limit(List.of(HEAD, row))).hasValue(4096);
    }

    @Test
    void no_limit_and_an_unknown_one_are_no_reason_to_complain() {
        String row = "Max open files            unlimited            unlimited            files     ";
        assertThat(OpenFiles.limit(List.of(HEAD, row))).isEmpty();
        assertThat(OpenFiles.limit(List.of(HEAD))).isEmpty();
        assertThat(OpenFiles.complaint(OptionalLong.empty(), 1_000_000)).isEmpty();
    }

    @Test
    void fewer_files_than_connections_are_complained_about_with_the_way_out() {
        assertThat(OpenFiles.complaint(OptionalLong.of(16_384), 16_384))
                .hasValueSatisfying(
                        text -> assertThat(text).contains("16384", "16896", "LimitNOFILE", "--max-connections"));
        assertThat(OpenFiles.complaint(OptionalLong.of(65_536), 16_384)).isEmpty();
    }
}
