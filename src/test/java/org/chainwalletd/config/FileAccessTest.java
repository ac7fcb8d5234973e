package org.chainwalletd.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

/** Owners and modes that are sufficient for a secret, and for a file whose content is trusted. */
class FileAccessTest {
    private static final int ROOT = 0;
    private static final int US = 990;
    private static final int SOMEBODY = 1000;

    @Test
    void a_secret_of_ours_is_for_nobody_else() {
        assertThat(secret(US, "r--------")).isTrue();
        assertThat(secret(US, "rw-------")).isTrue();
        assertThat(secret(US, "rw-r-----")).isFalse();
        assertThat(secret(US, "rw----r--")).isFalse();
        assertThat(secret(US, "rw-----w-")).isFalse();
    }

    /** A systemd credential is owned by root; the entry of the service's user in its access list appears as group permissions. */
    @Test
    void a_secret_of_roots_may_be_handed_over_by_its_group() {
        assertThat(secret(ROOT, "r--r-----")).isTrue();
        assertThat(secret(ROOT, "rw-rw----")).isFalse();
        assertThat(secret(ROOT, "r--r--r--")).isFalse();
    }

    @Test
    void no_secret_of_a_third_user_is_good_enough() {
        assertThat(secret(SOMEBODY, "rw-------")).isFalse();
    }

    @Test
    void what_is_relied_on_may_be_read_but_not_changed_by_others() {
        assertThat(content(US, "rwxr-xr-x")).isTrue();
        assertThat(content(ROOT, "rw-r--r--")).isTrue();
        assertThat(content(US, "rwxrwx---")).isFalse();
        assertThat(content(US, "rwx----w-")).isFalse();
    }

    private static boolean secret(int owner, String mode) {
        return access(owner, mode).objectionToSecret().isEmpty();
    }

    private static boolean content(int owner, String mode) {
        return access(owner, mode).objectionToContent().isEmpty();
    }

    private static FileAccess access(int owner, String mode) {
        return new FileAccess(owner, US, PosixFilePermissions.fromString(mode));
    }
}
