package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.IpamConfigParser;
import dev.nodepath.cni.config.RemovalConfigParser;
import dev.nodepath.cni.protocol.CniException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The files that both a server and its client see.
 *
 * @param folder the folder that both share
 */
record SharedFiles(Path folder) {

    /**
     * Whether a call needs shared files only. A call with another plugin never does: that program may read any file,
     * and it must run in the runtime's environment.
     *
     * @throws CniException code 7 if the configuration names a file that cannot be
     */
    boolean suffice(Call call) throws CniException {
        Optional<String> type = call.config().ipamType();
        boolean removes = call.environment().command().removes();
        if (type.isEmpty()) {
            // An earlier configuration may have put addresses into the node's default folder.
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
