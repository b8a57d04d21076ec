package dev.nodepath.cni;

import dev.nodepath.cni.ipam.Attachment;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One checked call of ADD, DEL, CHECK, GC or STATUS.
 *
 * @param variables the whole environment, for plugins that are called on
 * @param stdin the configuration as it came, for plugins that are called on
 * @param json the same, read
 * @param dataDirDefault where addresses are kept unless the configuration says otherwise
 * @param warnings takes what people should see that the protocol has no place for
 */
record Call(
        Environment environment,
        Map<String, String> variables,
        String stdin,
        JsonObject json,
        NetworkConfig config,
        Sandbox sandbox,
        Path dataDirDefault,
        StringBuilder warnings) {

    /** The same call with no namespace given, also for plugins that are called on. */
    Call withoutNamespace() {
        Map<String, String> without = new TreeMap<>(variables);
        without.put(CniVariable.CNI_NETNS.name(), "");
        Sandbox none = new Sandbox("", Optional.empty());
        return new Call(environment, without, stdin, json, config, none, dataDirDefault, warnings);
    }

    Attachment attachment() {
        return environment.attachment();
    }

    /** Under which name the attachment's links and rules are known on the node. */
    LinkIdentity identity() {
        return new LinkIdentity(config.name(), attachment());
    }
}
