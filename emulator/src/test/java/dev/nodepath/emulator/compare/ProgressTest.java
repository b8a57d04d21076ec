package dev.nodepath.emulator.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
    @Test
    void eachLineHasTheTimeAndFitsATerminal() {
        StringWriter out = new StringWriter();
        Progress progress = new Progress(new PrintWriter(out));

        progress.say("userspace: warm");
        new Checks(progress).expect("userspace", "every backend answers", false, "seen 10.244.1.1 ".repeat(30));
        progress.say("x".repeat(253));

        assertThat(out.toString().lines())
                .hasSizeGreaterThan(5)
                .allSatisfy(line -> assertThat(line).hasSizeLessThan(120));
        assertThat(out.toString())
                .matches("(?s)\\[ +\\d\\.\\d s\\] userspace: warm\n\\[ +\\d\\.\\d s\\] FAILED userspace: .*");
    }
}
