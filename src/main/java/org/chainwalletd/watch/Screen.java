package org.chainwalletd.watch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;

/** Full-screen surface: redraws what has changed, and restores the terminal at the end. */
final class Screen implements Surface {
    private final Terminal terminal;
    private final Supplier<Instant> clock;
    private final Attributes before;
    private final Display display;

    Screen(Terminal terminal, Supplier<Instant> clock) {
        this.terminal = terminal;
        this.clock = clock;
        before = terminal.enterRawMode();
        // Raw mode, except for keys that send signals: Ctrl-C must work even if the keyboard thread does not.
        Attributes keys = terminal.getAttributes();
        keys.setLocalFlag(Attributes.LocalFlag.ISIG, true);
        terminal.setAttributes(keys);
        terminal.puts(Capability.enter_ca_mode);
        terminal.puts(Capability.cursor_invisible);
        display = new Display(terminal, true);
    }

    @Override
    public void show(Board board) {
        Size size = terminal.getSize();
        int columns = Math.max(1, size.getColumns());
        int height = Math.max(1, size.getRows());
        display.resize(Size.of(columns, height));
        List<AttributedString> lines = new ArrayList<>();
        for (Row row : board.rows(columns, height, clock.get())) {
            lines.add(styled(row).columnSubSequence(0, columns));
        }
        while (lines.size() < height) {
            lines.add(AttributedString.EMPTY);
        }
        display.update(lines, 0);
        terminal.flush();
    }

    /** Discards the previous picture, so that everything is redrawn. */
    @Override
    public void resized() {
        display.clear();
    }

    /** Does nothing, since the board shows the event. */
    @Override
    public void happened(Board.LogEntry entry) {}

    @Override
    public void close() {
        terminal.puts(Capability.exit_ca_mode);
        terminal.puts(Capability.cursor_normal);
        terminal.flush();
        terminal.setAttributes(before);
    }

    private static AttributedString styled(Row row) {
        AttributedStringBuilder text = new AttributedStringBuilder();
        row.pieces().forEach(piece -> text.styled(style(piece.tone()), piece.text()));
        return text.toAttributedString();
    }

    private static AttributedStyle style(Row.Tone tone) {
        return switch (tone) {
            case PLAIN -> AttributedStyle.DEFAULT;
            case TITLE -> AttributedStyle.DEFAULT.bold();
            case SOFT -> AttributedStyle.DEFAULT.faint();
            case GOOD -> AttributedStyle.DEFAULT.foreground(AttributedStyle.GREEN);
            case BAD -> AttributedStyle.DEFAULT.foreground(AttributedStyle.RED).bold();
        };
    }
}
