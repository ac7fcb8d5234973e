package org.chainwalletd.observe;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;

/**
 * Converter of a log pattern for the time of an event in the system's time zone: ISO 8601 and RFC 3339, with milliseconds and the offset from UTC.
 *
 * <p>Logback's own converter uses {@code java.time}, which searches every jar of the class path for time-zone rules and so delays each start by a
 * tenth of a second.
 */
final class LocalTime extends ClassicConverter {
    static final String WORD = "localTime";

    private final TimeZone zone = TimeZone.getDefault();

    @Override
    public String convert(ILoggingEvent event) {
        return text(event.getTimeStamp(), zone);
    }

    static String text(long millis, TimeZone zone) {
        Calendar time = new GregorianCalendar(zone, Locale.ROOT);
        time.setTimeInMillis(millis);
        StringBuilder text = new StringBuilder(29);
        digits(text, time.get(Calendar.YEAR), 4).append('-');
        digits(text, time.get(Calendar.MONTH) + 1, 2).append('-');
        digits(text, time.get(Calendar.DAY_OF_MONTH), 2).append('T');
        digits(text, time.get(Calendar.HOUR_OF_DAY), 2).append(':');
        digits(text, time.get(Calendar.MINUTE), 2).append(':');
        digits(text, time.get(Calendar.SECOND), 2).append('.');
        digits(text, time.get(Calendar.MILLISECOND), 3);
        int minutes = (int)
                TimeUnit.MILLISECONDS.toMinutes(time.get(Calendar.ZONE_OFFSET) + (long) time.get(Calendar.DST_OFFSET));
        if (minutes == 0) {
            return text.append('Z').toString();
        }
        int distance = Math.abs(minutes);
        text.append(minutes < 0 ? '-' : '+');
        digits(text, distance / 60, 2).append(':');
        return digits(text, distance % 60, 2).toString();
    }

    private static StringBuilder digits(StringBuilder text, int value, int width) {
        String digits = Integer.toString(value);
        return text.append("0".repeat(Math.max(0, width - digits.length()))).append(digits);
    }
}
