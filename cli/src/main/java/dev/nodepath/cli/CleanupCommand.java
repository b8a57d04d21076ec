package dev.nodepath.cli;

import dev.nodepath.agent.daemon.AgentLock;
import dev.nodepath.agent.daemon.PolicyPart;
import dev.nodepath.agent.install.HostFolders;
import dev.nodepath.agent.install.PluginRemoval;
import dev.nodepath.agent.install.PolicyMark;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.NodeFolderOptions;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.agent.process.Capability;
import dev.nodepath.agent.routes.PodForwarding;
import dev.nodepath.agent.routes.RouteRemoval;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.io.FileLock;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.VariantChoice;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code nodepath cleanup}: removes the rules of every mode, routes and overlay from its network namespace. */
@Command(
        name = "cleanup",
        description = {
            "Removes the rules of every proxy mode and of kube-proxy, and the agent's routes.",
            "It looks at both iptables variants, and removes the agent's overlay, masquerading, forwarding rules and"
                    + " tables of NetworkPolicies too. It works in the network namespace it is started in. Needs CAP_NET_ADMIN."
        },
        footer = {"nodepath cleanup", "nodepath cleanup --uninstall"},
        mixinStandardHelpOptions = true)
final class CleanupCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(CleanupCommand.class);

    private static final Path EMULATED_NODES = Path.of("/run/nodepath/nodes");
    private static final Path EMULATED_HOSTS = Path.of("/run/netns");

    private static final String DONE =
            "cleanup: no Service's rule of Nodepath or kube-proxy is left in this network namespace, and no"
                    + " policy, route or overlay of Nodepath; pods and their bridge stay";

    @Option(
            names = "--uninstall",
            description = "Before the rules, remove the network's configuration, the CNI plugin and its Java from the"
                    + " node's disk, and the Node's condition NetworkUnavailable. Pods of this network that"
                    + " still run can end only when the node has another network.")
    private boolean uninstall;

    @Mixin
    private final NodeFolderOptions folderOptions = new NodeFolderOptions();

    @Mixin
    private final ConditionRemoval condition = new ConditionRemoval();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        requireRealNode();
        HostFolders folders = folderOptions.folders();
        Capability.requireNetAdmin();
        if (uninstall) {
            uninstall(folders);
        } else {
            removeAll(folders);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(DONE);
        out.flush();
        return 0;
    }

    private static void requireRealNode() throws CommandException, IOException {
        if (!Files.isDirectory(EMULATED_NODES)) {
            return;
        }
        try (DirectoryStream<Path> hosts = Files.newDirectoryStream(EMULATED_HOSTS)) {
            for (Path host : hosts) {
                if (Files.isSameFile(host, Path.of("/proc/self/ns/net"))) {
                    throw CommandException.wrongUsage(List.of("cleanup: " + host.getFileName() + " is of an emulated"
                            + " cluster, and has the machine's files (expected: a real node; 'nodepath down' ends an"
                            + " emulated cluster)"));
                }
            }
        }
    }

    private void uninstall(HostFolders folders) throws CommandException, IOException, InterruptedException {
        FileLock lock = AgentLock.take(new KernelLinuxNet(), folderOptions.cniSocket());
        try {
            new PluginRemoval(folders).remove();
            takeBackCondition();
            removeAll(folders);
        } finally {
            lock.close();
        }
    }

    /**
     * Removes the condition before the rules, which may forward to the API server. A failure is only a warning: the
     * rules must be removed in any case, and without them a retry may not reach the server.
     */
    private void takeBackCondition() throws InterruptedException {
        try {
            condition.run();
        } catch (CommandException | IOException e) {
            ConditionRemoval.warn(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            ConditionRemoval.warn(e.toString());
        }
    }

    /** Fails if a step failed. */
    private static void removeAll(HostFolders folders) throws CommandException, IOException {
        List<String> errors = new ArrayList<>();
        try {
            errors.addAll(removeRoutes());
        } catch (LinuxNetException e) {
            errors.add(String.valueOf(e.getMessage()));
        }
        errors.addAll(removePolicies(new PolicyMark(folders)));
        errors.addAll(removeRules(true));
        failIfAny(errors);
    }

    /**
     * Removes only the proxies' rules, as kube-proxy's {@code --cleanup}: an agent on the same node may still need its
     * routes and rules.
     */
    static void rulesAlone() throws CommandException, IOException {
        Capability.requireNetAdmin();
        failIfAny(removeRules(false));
    }

    private static void failIfAny(List<String> errors) throws CommandException {
        if (!errors.isEmpty()) {
            throw CommandException.failed(errors.toArray(String[]::new));
        }
    }

    private static List<String> removeRoutes() throws LinuxNetException {
        try (NetworkNamespace namespace = new KernelLinuxNet().current()) {
            return RouteRemoval.removeAll(namespace);
        }
    }

    /** A failure of iptables leaves no nftables table in place, nor the other way round. */
    private static List<String> removeRules(boolean agents) {
        List<String> errors = new ArrayList<>();
        try {
            ProxyMode.NFTABLES.removeRules(Optional.empty());
        } catch (IptablesException e) {
            errors.add(String.valueOf(e.getMessage()));
        }
        for (IpFamily family : IpFamily.values()) {
            try {
                UserspaceProxy.removeTables(family);
            } catch (LinuxNetException e) {
                errors.add(String.valueOf(e.getMessage()));
            }
        }
        try {
            removeIptables(agents);
        } catch (IptablesException e) {
            errors.add(String.valueOf(e.getMessage()));
        }
        return errors;
    }

    private static List<String> removePolicies(PolicyMark mark) {
        List<String> errors = new ArrayList<>(PolicyPart.removeTables(new KernelLinuxNet()));
        try {
            mark.remove();
        } catch (IOException e) {
            errors.add(String.valueOf(e.getMessage()));
        }
        return errors;
    }

    /** Checks first, because a command that names a missing table would create it. */
    private static void removeIptables(boolean agents) throws IptablesException {
        boolean found = false;
        for (IptablesVariant variant : List.of(IptablesVariant.NFT, IptablesVariant.LEGACY)) {
            Optional<String> tables = tables(variant);
            found |= tables.filter(text -> text.contains("*")).isPresent();
            if (tables.filter(VariantChoice::hasKubernetesChains).isPresent()) {
                removeRules(Optional.of(variant));
            }
            if (agents && tables.isPresent()) {
                removeForwarding(variant);
            }
        }
        if (found) {
            return;
        }
        // Neither program has a table or commands of its own.
        if (new IptablesCommand(IpFamily.IPV4).isInstalled()) {
            removeRules(Optional.empty());
        } else {
            LOG.atInfo().addKeyValue("reason", "iptables: not found on PATH").log("cleanup.iptables_skipped");
        }
    }

    /** A kernel may be built without one of them. */
    private static Optional<String> tables(IptablesVariant variant) {
        try {
            return Optional.of(VariantChoice.tables(VariantChoice.system(), variant));
        } catch (IptablesException e) {
            LOG.atWarn()
                    .addKeyValue("variant", variant)
                    .addKeyValue("error", e.getMessage())
                    .log("cleanup.variant_skipped");
            return Optional.empty();
        }
    }

    /** Checks each family first, because a kernel may have the tables of only one. */
    private static void removeForwarding(IptablesVariant variant) throws IptablesException {
        for (IpFamily family : IpFamily.values()) {
            IptablesCommand iptables = new IptablesCommand(family, Optional.of(variant));
            if (("\n" + iptables.saveAll()).contains("\n:" + PodForwarding.CHAIN + " ")) {
                new PodForwarding(iptables).remove();
            }
        }
    }

    private static void removeRules(Optional<IptablesVariant> variant) throws IptablesException {
        for (ProxyMode mode : ProxyMode.NFTABLES.others()) {
            mode.removeRules(variant);
        }
    }
}
