package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.linux.address.Cidr;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The flags with which a recorded kube-proxy ran, one in a line. */
public final class RecordedFlags {
    private RecordedFlags() {}

    /** Sets what rules of every mode obey. */
    public static void set(RuleConfig.Draft draft, Path file) throws IOException {
        for (String flag : Files.readAllLines(file)) {
            int end = flag.indexOf('=');
            String value = flag.substring(end + 1);
            List<String> words = List.of(value.split(",", -1));
            switch (flag.substring(0, end)) {
                case "--cluster-cidr" ->
                    draft.detectLocal = new DetectLocal.ClusterCidr(
                            words.stream().map(Cidr::parse).toList());
                case "--masquerade-all" -> draft.masqueradeAll = value.equals("true");
                case "--nodeport-addresses" -> draft.nodePortAddresses = NodePortAddresses.parse(words);
                case "--iptables-localhost-nodeports" -> {}
                default ->
                    throw new IllegalArgumentException(file + ": " + flag + " (expected: one that is known here)");
            }
        }
    }
}
