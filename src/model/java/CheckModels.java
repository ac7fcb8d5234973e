import edu.mit.csail.sdg.alloy4.A4Reporter;
import edu.mit.csail.sdg.ast.Command;
import edu.mit.csail.sdg.parser.CompModule;
import edu.mit.csail.sdg.parser.CompUtil;
import edu.mit.csail.sdg.translator.A4Options;
import edu.mit.csail.sdg.translator.A4Solution;
import edu.mit.csail.sdg.translator.TranslateAlloyToKodkod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import kodkod.engine.satlab.SATFactory;

/**
 * Runs every command of the models in a folder and compares it with what the command expects: with all rules no counterexample, without one of
 * them a counterexample. Exits with 1 when one differs.
 *
 * <p>Arguments: the folder, then names of commands (none: all).
 */
final class CheckModels {
    private CheckModels() {}

    public static void main(String[] args) throws IOException {
        List<String> wanted = List.of(args).subList(1, args.length);
        boolean asExpected = true;
        try (Stream<Path> files = Files.list(Path.of(args[0]))) {
            for (Path file : files.filter(path -> path.toString().endsWith(".als"))
                    .sorted()
                    .toList()) {
                CompModule model = CompUtil.parseEverything_fromFile(A4Reporter.NOP, null, file.toString());
                for (Command command : model.getAllCommands()) {
                    if (wanted.isEmpty() || wanted.contains(command.label)) {
                        asExpected &= run(file, model, command);
                    }
                }
            }
        }
        System.exit(asExpected ? 0 : 1);
    }

    private static boolean run(Path file, CompModule model, Command command) {
        A4Options options = new A4Options();
        options.solver = SATFactory.find("minisat").orElse(SATFactory.DEFAULT);
        long began = System.nanoTime();
        A4Solution solution =
                TranslateAlloyToKodkod.execute_command(A4Reporter.NOP, model.getAllReachableSigs(), command, options);
        boolean asExpected = solution.satisfiable() == (command.expects == 1);
        String found = command.check
                ? (solution.satisfiable()
                        ? "counterexample of " + solution.getTraceLength() + " steps"
                        : "no counterexample")
                : (solution.satisfiable() ? "example" : "no example");
        System.out.printf(
                "%-9s %-24s %-32s %4d s%n",
                asExpected ? "ok" : "DIFFERS",
                file.getFileName().toString().replace(".als", "") + "." + command.label,
                found,
                (System.nanoTime() - began) / 1_000_000_000);
        return asExpected;
    }
}
