import io.trino.Session;
import io.trino.testing.LocalQueryRunner;
import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;
import io.trino.testing.TestingSession;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/** Runs the queries that come on stdin, one a line; answers each with its rows, one a line, and an empty line. */
public final class Queries {
    private Queries() {}

    public static void main(String[] arguments) throws Exception {
        Session session = TestingSession.testSessionBuilder().build();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        java.io.PrintStream answers = System.out;
        System.setOut(System.err);
        try (LocalQueryRunner runner = LocalQueryRunner.create(session)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                try {
                    MaterializedResult result = runner.execute(line);
                    for (MaterializedRow row : result.getMaterializedRows()) {
                        answers.println(row.getFields().stream().map(String::valueOf).collect(Collectors.joining("\t")));
                    }
                }
                catch (RuntimeException error) {
                    answers.println("error: " + String.valueOf(error.getMessage()).replace('\n', ' '));
                }
                answers.println();
                answers.flush();
            }
        }
        System.exit(0);
    }
}
