package org.chainwalletd.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Random;
import java.util.TimeZone;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

class LocalTimeTest {
    @Test
    void a_time_is_written_as_rfc_3339_has_it() {
        long time = Instant.parse("2026-03-29T00:59:59.007Z").toEpochMilli();

        assertThat(LocalTime.text(time, TimeZone.getTimeZone("UTC"))).isEqualTo("2026-03-29T00:59:59.007Z");
        assertThat(LocalTime.text(time, TimeZone.getTimeZone("Europe/Berlin")))
                .isEqualTo("2026-03-29T01:59:59.007+01:00");
        assertThat(LocalTime.text(time + 1000, TimeZone.getTimeZone("Europe/Berlin")))
                .isEqualTo("2026-03-29T03:00:00.007+02:00");
        assertThat(LocalTime.text(time, TimeZone.getTimeZone("America/St_Johns")))
                .isEqualTo("2026-03-28T22:29:59.007-02:30");
    }

    @Test
    void any_time_in_any_zone_is_what_java_time_says() {
        Random random = Seeded.random("any_time_in_any_zone_is_what_java_time_says");
        DateTimeFormatter expected = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX");
        String[] zones = TimeZone.getAvailableIDs();
        for (int i = 0; i < 2_000; i++) {
            TimeZone zone = TimeZone.getTimeZone(zones[random.nextInt(zones.length)]);
            // Up to the year 2037: later times are computed by rules that the two interpret differently.
            long time = (long)
                    (random.nextDouble() * Instant.parse("2037-01-01T00:00:00Z").toEpochMilli());
            assertThat(LocalTime.text(time, zone))
                    .as("%s in %s", time, zone.getID())
                    .isEqualTo(expected.format(Instant.ofEpochMilli(time)
                            .atZone(ZoneId.of(zone.toZoneId().getId()))));
        }
    }
}
