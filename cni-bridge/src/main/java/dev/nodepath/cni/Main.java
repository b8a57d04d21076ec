package dev.nodepath.cni;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.cni.protocol.CniVersion;
import dev.nodepath.linux.KernelLinuxNet;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The program that a container runtime runs. It makes one call of the protocol. */
public final class Main {
    private Main() {}

    /**
     * Reads the environment and standard input, and writes standard output and the exit code. It ignores arguments,
     * like every plugin.
     */
    public static void main(String[] arguments) {
        CallOutcome outcome = outcome();
        print(System.err, outcome.stderr());
        print(System.out, outcome.stdout());
        // A caller that does not get the answer must see a failure.
        boolean lost = System.out.checkError();
        if (lost) {
            print(System.err, "nodepath-bridge: standard output cannot be written\n");
        }
        System.exit(lost ? 1 : outcome.exitCode());
    }

    private static CallOutcome outcome() {
        try {
            KernelLinuxNet net = new KernelLinuxNet();
            Invocation invocation = Invocation.onThisNode(net, LinkRemoval.immediate(), new PolicyTableGate(net));
            return AttachmentLocks.onThisNode(net)
                    .alone(System.getenv(), () -> invocation.run(System.getenv(), System.in));
        } catch (Throwable e) {
            // Errors too: binding the C library may throw an UnsatisfiedLinkError, and a runtime reads only JSON.
            return CallOutcome.failed(Invocation.explain(e), CniVersion.latest(), "");
        }
    }

    private static void print(PrintStream stream, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        stream.write(bytes, 0, bytes.length);
        stream.flush();
    }
}
