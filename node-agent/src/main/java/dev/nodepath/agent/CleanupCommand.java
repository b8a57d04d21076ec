package dev.nodepath.agent;

import dev.nodepath.linux.iptables.IptablesException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code nodepath cleanup}: removes the rules of every mode from the network namespace it is started in. */
@Command(
        name = "cleanup",
        description =
                "Removes every rule of every proxy mode, kube-proxy's too, from the network namespace it is started in.",
        mixinStandardHelpOptions = true)
final class CleanupCommand implements Callable<Integer> {
    @Override
    public Integer call() throws IptablesException {
        for (ProxyMode mode : ProxyMode.values()) {
            mode.removeRules();
        }
        return 0;
    }
}
