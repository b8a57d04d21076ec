package dev.nodepath.cni.addresses;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.IpamConfigParser;
import dev.nodepath.cni.config.RemovalConfigParser;
import dev.nodepath.cni.protocol.CniException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The files that a server and its client both see.
 *
 * @param folder below which they are the same for both
 */
public record SharedFiles(Path folder) {

    /**
     * Whether a call needs no others. Another plugin always does: it is a program, it may read whatever it likes, and it is meant
     * to run in the runtime's environment.
     *
     * @throws CniException code 7 if the configuration names a file that cannot be
     */
    public boolean suffice(Call call) throws CniException {
        Optional<String> type = call.config().ipamType();
        boolean removes = call.environment().command().removes();
        if (type.isEmpty()) {
            // An earlier configuration may have given addresses, which are in the node's default folder then.
            return !removes || isThere(call.dataDirDefault());
        }
        if (removes) {
            return type.get().equals(IpamConfigParser.TYPE)
                    && isThere(RemovalConfigParser.dataDir(call.json(), call.dataDirDefault()));
        }
        Optional<Path> resolvConf = IpamConfigParser.resolvConf(call.json());
        return type.get().equals(IpamConfigParser.TYPE)
                && isThere(IpamConfigParser.dataDir(call.json(), call.dataDirDefault()))
                && (resolvConf.isEmpty() || isThere(resolvConf.get()));
    }

    private boolean isThere(Path path) {
        return path.normalize().startsWith(folder);
    }
}
