package dev.nodepath.proxy.userspace;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A failed test also tells the rules, sockets and tracked connections of its namespace, before they are removed. */
final class KernelStateOfFailure implements AfterTestExecutionCallback {
    private static final String STATE =
            "iptables-save -c; nft list ruleset; ss -tuan; conntrack -L; ip -4 route; ip -6 route; nstat -as";

    @Override
    public void afterTestExecution(ExtensionContext context) throws Exception {
        Throwable failure = context.getExecutionException().orElse(null);
        if (failure == null) {
            return;
        }
        Process process = new ProcessBuilder("timeout", "10", "sh", "-c", STATE)
                .redirectErrorStream(true)
                .start();
        String state = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        failure.addSuppressed(new AssertionError("state of the namespace:\n" + state));
    }
}
