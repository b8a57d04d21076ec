package dev.nodepath.apiserver.access;

import static dev.nodepath.apiserver.access.DerWriter.bits;
import static dev.nodepath.apiserver.access.DerWriter.bool;
import static dev.nodepath.apiserver.access.DerWriter.identifier;
import static dev.nodepath.apiserver.access.DerWriter.integer;
import static dev.nodepath.apiserver.access.DerWriter.octets;
import static dev.nodepath.apiserver.access.DerWriter.sequence;
import static dev.nodepath.apiserver.access.DerWriter.set;
import static dev.nodepath.apiserver.access.DerWriter.tagged;
import static dev.nodepath.apiserver.access.DerWriter.text;
import static dev.nodepath.apiserver.access.DerWriter.time;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A key on the curve P-256 and a certificate (RFC 5280) that it signs itself. Clients trust the certificate as their
 * authority.
 *
 * @param key the private key
 * @param certificate for the server's names and addresses
 */
public record ServerCertificate(PrivateKey key, X509Certificate certificate) {
    /** The server's names for clients in a cluster. */
    public static final List<String> NAMES = List.of(
            "kubernetes",
            "kubernetes.default",
            "kubernetes.default.svc",
            "kubernetes.default.svc.cluster.local",
            "localhost");

    private static final Duration VALID = Duration.ofDays(365);
    private static final Duration CLOCK_SKEW = Duration.ofHours(1);
    private static final int DNS_NAME = 0x82;
    private static final int IP_ADDRESS = 0x87;
    private static final int KEY_USAGE_SIGN_AND_CERTIFY = 0x84;

    /**
     * Makes a key and a certificate that is valid for a year.
     *
     * @param addresses of the server, besides {@link #NAMES}
     */
    public static ServerCertificate create(List<InetAddress> addresses, Instant now) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            byte[] algorithm = sequence(identifier("1.2.840.10045.4.3.2"));
            byte[] content = content(pair, algorithm, addresses, now);
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(pair.getPrivate());
            signature.update(content);
            byte[] encoded = sequence(content, algorithm, bits(signature.sign(), 0));
            return new ServerCertificate(pair.getPrivate(), (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("no certificate can be made on this Java", e);
        }
    }

    /** The certificate as PEM (RFC 7468). */
    public String pem() {
        try {
            return "-----BEGIN CERTIFICATE-----\n"
                    + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(certificate.getEncoded())
                    + "\n-----END CERTIFICATE-----\n";
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] content(KeyPair pair, byte[] algorithm, List<InetAddress> addresses, Instant now) {
        byte[] name = sequence(set(sequence(identifier("2.5.4.3"), text("nodepath-kubernetes"))));
        return sequence(
                tagged(0xa0, integer(BigInteger.TWO)),
                integer(new BigInteger(64, new SecureRandom()).add(BigInteger.ONE)),
                algorithm,
                name,
                sequence(time(now.minus(CLOCK_SKEW)), time(now.plus(VALID))),
                name,
                pair.getPublic().getEncoded(),
                tagged(0xa3, extensions(addresses)));
    }

    private static byte[] extensions(List<InetAddress> addresses) {
        byte[] authority = sequence(identifier("2.5.29.19"), bool(true), octets(sequence(bool(true))));
        byte[] usage = sequence(
                identifier("2.5.29.15"), bool(true), octets(bits(new byte[] {(byte) KEY_USAGE_SIGN_AND_CERTIFY}, 2)));
        byte[] server = sequence(identifier("2.5.29.37"), octets(sequence(identifier("1.3.6.1.5.5.7.3.1"))));
        List<byte[]> names = new ArrayList<>();
        NAMES.forEach(each -> names.add(tagged(DNS_NAME, each.getBytes(StandardCharsets.US_ASCII))));
        addresses.forEach(each -> names.add(tagged(IP_ADDRESS, each.getAddress())));
        byte[] alternatives = sequence(identifier("2.5.29.17"), octets(sequence(names.toArray(new byte[0][]))));
        return sequence(authority, usage, server, alternatives);
    }
}
